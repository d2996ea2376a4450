// The client of `irrewrite -lsp`. The command `irrewrite.check`, which the lenses on rules name, is the server's.
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = () => {
  const settings = vscode.workspace.getConfiguration('irrewrite');
  client = new LanguageClient(
    'irrewrite',
    'irrewrite',
    { command: settings.get('path'), args: ['-lsp'] },
    {
      documentSelector: [{ language: 'irrewrite' }],
      initializationOptions: { rules: settings.get('rules'), includes: settings.get('includes') },
    },
  );
  return client.start();
};

exports.deactivate = () => client && client.stop();
