#!/usr/bin/env python3
"""The language server and pytest-lsp (PyPI): a client that others have written decodes every answer by its own types of the protocol, and
compares it with what an editor says that it can do. Skipped where no Python has pytest-lsp (tests/tools/setup.sh puts one into
build/pytest-lsp where the network allows it).

Run as a script, it runs the tests below with pytest and counts them.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SESSION = """// Two statistics.
func @stats(%xs: [n]f64) -> f64, i64 {
  %sq  = map(%xs) { |%x| mul(%x, %x) }
  %sum = reduce(%sq, 0.0) {add}
  %pos = filter(%xs) { |%x| gt(%x, 0.0) }
  return %sum, len(%pos)
}
"""
RULES = """rules r {
  half:  (?x: int * 2) / 2  =>  ?x
}
phase p = innermost(r)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default=str(ROOT / "build/irrewrite"))
    tool = pathlib.Path(parser.parse_args().tool).resolve()
    for python in (ROOT / "build/pytest-lsp/bin/python", sys.executable, "/usr/bin/python3"):
        try:
            found = subprocess.run([python, "-c", "import pytest_lsp"], capture_output=True, check=False).returncode == 0
        except OSError:
            continue
        if found:
            break
    else:
        print("no Python here has pytest-lsp: python3 -m venv build/pytest-lsp && build/pytest-lsp/bin/pip install pytest-lsp")
        print("0 passed, 0 failed")
        return 0
    done = subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error::pytest_lsp.LspSpecificationWarning", "-o",
                           "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function", "--rootdir", str(ROOT / "tests"), __file__], env=os.environ | {"IRREWRITE_TOOL": str(tool)},
                          capture_output=True, text=True, check=False)
    counted = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|errors?)", done.stdout.splitlines()[-1] if done.stdout else "")}
    passed, failed = counted.pop("passed", 0), sum(counted.values())
    if done.returncode != 0 or failed:
        print(done.stdout[-6000:] + done.stderr[-2000:])
        failed = failed or 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())


import pytest  # noqa: E402: pytest reads what follows
import pytest_lsp  # noqa: E402
from lsprotocol import types  # noqa: E402

EDITORS = ["neovim", "visual_studio_code"]


@pytest_lsp.fixture(params=EDITORS, config=pytest_lsp.ClientServerConfig(
    server_command=[os.environ.get("IRREWRITE_TOOL", str(ROOT / "build/irrewrite")), "-lsp", "-rules", "fusion.rules"]))
async def client(request, lsp_client: pytest_lsp.LanguageClient):
    await lsp_client.initialize_session(types.InitializeParams(capabilities=pytest_lsp.client_capabilities(request.param)))
    yield
    await lsp_client.shutdown_session()


async def opened(client, tmp_path, name, text):
    uri = (tmp_path / name).as_uri()
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri=uri, language_id="irrewrite", version=1, text=text)))
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    return types.TextDocumentIdentifier(uri)


def place(text, part, inside=1):
    before = text[:text.index(part) + inside]
    return types.Position(before.count("\n"), len(before) - before.rfind("\n") - 1)


@pytest.mark.asyncio
async def test_diagnostics(client, tmp_path):
    document = await opened(client, tmp_path, "wrong.ir", SESSION.replace("len(%pos)", "len(%pso)"))
    found, = client.diagnostics[document.uri]
    assert found.message.startswith("unknown value '%pso'") and found.severity == types.DiagnosticSeverity.Error
    assert found.range.start == types.Position(5, 19)


@pytest.mark.asyncio
async def test_hover(client, tmp_path):
    document = await opened(client, tmp_path, "stats.ir", SESSION)
    assert not client.diagnostics[document.uri]
    shown = await client.text_document_hover_async(types.HoverParams(document, place(SESSION, "%sum =")))
    assert "%sum: f64" in shown.contents.value and "fusion." in shown.contents.value


@pytest.mark.asyncio
async def test_navigation(client, tmp_path):
    document = await opened(client, tmp_path, "stats.ir", SESSION)
    at = place(SESSION, "%sq, 0.0")
    definition = await client.text_document_definition_async(types.DefinitionParams(document, at))
    assert [each.range.start for each in definition] == [place(SESSION, "%sq  =", 0)]
    uses = await client.text_document_references_async(types.ReferenceParams(types.ReferenceContext(True), document, at))
    assert len(uses) == 2
    marks = await client.text_document_document_highlight_async(types.DocumentHighlightParams(document, at))
    assert len(marks) == 2
    edit = await client.text_document_rename_async(types.RenameParams(document, at, "%squares"))
    assert [each.new_text for each in edit.changes[document.uri]] == ["squares"] * 2


@pytest.mark.asyncio
async def test_completion(client, tmp_path):
    document = await opened(client, tmp_path, "stats.ir", SESSION)
    listed = await client.text_document_completion_async(types.CompletionParams(document, place(SESSION, "%sum, len", 2)))
    assert {"sum", "sq"} <= {item.label.lstrip("%") for item in listed.items}
    help_ = await client.text_document_signature_help_async(types.SignatureHelpParams(document, place(SESSION, "mul(%x", 4)))
    assert "mul" in help_.signatures[0].label


@pytest.mark.asyncio
async def test_the_whole_text(client, tmp_path):
    document = await opened(client, tmp_path, "stats.ir", SESSION)
    tokens = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    assert len(tokens.data) % 5 == 0 and len(tokens.data) > 100
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert [symbol.name for symbol in symbols] == ["@stats"]
    folds = await client.text_document_folding_range_async(types.FoldingRangeParams(document))
    assert (folds[0].start_line, folds[0].end_line) == (1, 5)
    everything = types.Range(types.Position(0, 0), types.Position(99, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, everything))
    assert ": [n]f64" in [hint.label for hint in hints]
    formatted = await client.text_document_formatting_async(types.DocumentFormattingParams(document, types.FormattingOptions(2, True)))
    assert formatted is not None and not formatted


@pytest.mark.asyncio
async def test_a_rule_is_checked(client, tmp_path):
    document = await opened(client, tmp_path, "own.rules", RULES)
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(document))
    lens, = [each for each in lenses if each.command and each.command.command == "irrewrite.check"]
    answer = await client.workspace_execute_command_async(types.ExecuteCommandParams(lens.command.command, lens.command.arguments))
    assert answer["passed"] is False
    found, = client.diagnostics[document.uri]
    assert found.message.startswith("wrong:") and found.range.start == place(RULES, "half", 0)
    assert client.messages


@pytest.mark.asyncio
async def test_changes(client, tmp_path):
    document = await opened(client, tmp_path, "stats.ir", SESSION)
    at = place(SESSION, "%pos)\n", 0)
    client.text_document_did_change(types.DidChangeTextDocumentParams(
        types.VersionedTextDocumentIdentifier(2, document.uri), [types.TextDocumentContentChangePartial(types.Range(at, at), "ß")]))
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert client.diagnostics[document.uri]
    client.text_document_did_close(types.DidCloseTextDocumentParams(document))
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert not client.diagnostics[document.uri]
