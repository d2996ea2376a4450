// The right pane: a value, the list of rewrites, and statistics.

function link(text, onclick, title) {
  return element("button", { class: "link", onclick, title }, text);
}

// A rule as its file has it, without the blanks that align it there.
function ruleText(rule) {
  return (rule.text ?? rule.name).replace(/:\s+/, ": ").replace(/\n\s+/g, "\n    ");
}

// The line of the program that a value stands for: its own, or that of the first rewrite behind it.
function lineOf(data, number) {
  const node = data.nodes[number];
  const first = rewrites[chainBehind(data.name, node)[0]];
  return lineAt(node.place) || lineAt(data.nodes[drawnNode(data, number)].place) || lineAt(first?.place);
}

function ruleCard(number) {
  const step = rewrites[number];
  const rule = run.rules[step.rule];
  const line = lineAt(step.place);
  return element("div", { class: "card" },
    link(`#${number + 1} ${rule.name}`, () => moveTo(number + 1), "Show the program after this rewrite"),
    element("span", { class: "where" }, ` phase ${step.phase}${line ? `, line ${line}` : ""}`),
    element("code", { class: "rule-text", title: `${rule.file}:${rule.line}` }, ruleText(rule)),
    element("code", {}, step.before),
    element("code", {}, element("span", { class: "arrow" }, "=> "), step.after));
}

function ruleCards(numbers, otherwise) {
  const most = 60;
  const cards = numbers.slice(0, most).map(ruleCard);
  if (numbers.length > most) cards.push(element("p", { class: "where" }, `and ${numbers.length - most} more`));
  return cards.length ? cards : [element("p", { class: "where" }, otherwise)];
}

function facts(data, node, number) {
  const line = lineOf(data, number);
  const term = node.term ?? `a parameter${node.owner === undefined ? ` of @${data.name}` : " of a block"}`;
  return element("dl", { class: "facts" },
    element("dt", {}, "is"), element("dd", {}, element("code", {}, term)),
    element("dt", {}, "type"), element("dd", { id: "type" }, element("code", {}, node.type)),
    element("dt", {}, "function"), element("dd", {}, `@${data.name}`),
    ...(line ? [element("dt", {}, "source"), element("dd", {}, link(`line ${line}`, () => showLine(line)))] : []),
    element("dt", {}, "uses"), element("dd", { id: "uses" }, ...usesOf(data, number)));
}

// The operations that use a value, and the results that it is.
function usesOf(data, number) {
  const users = [];
  data.nodes.forEach((node, user) => {
    if (node.operands?.includes(number)) users.push(...(node.op === "project" ? [] : [useLink(data, user)]));
    if (node.blocks?.flat().includes(number)) users.push(useLink(data, user, "result of a block of "));
  });
  if (data.results.includes(number)) users.push(element("div", {}, `result of @${data.name}`));
  return users.length ? users : ["none"];
}

function useLink(data, user, before = "") {
  return element("div", {}, before, link(labelOf(data, drawnNode(data, user)), () => choose(data.name, data.nodes[user].id)));
}

function whyNot(data, node, number) {
  const of = run.failures[data.name] ?? {};
  const list = of[node.id] ?? of[data.nodes[drawnNode(data, number)].id];
  if (!list || !list.length) return element("p", { class: "where" }, "No rule of the files has an operation like it, or it was not asked.");
  const rows = list.flatMap(([rule, why]) => [
    element("span", { class: "rule", title: run.rules[rule].text }, run.rules[rule].name), element("span", {}, why)]);
  return element("div", { class: "why" }, ...rows);
}

function showValue(data, number) {
  const pane = document.getElementById("value");
  if (number === undefined) {
    pane.replaceChildren(element("p", { class: "where" }, "Click a value or an operation, in the text or in the graph."));
    return;
  }
  const node = data.nodes[number];
  const isLast = state.snapshot === run.snapshots.length - 1;
  const fate = fateOf(data.name, node);
  pane.replaceChildren(
    element("h2", { id: "chosen" }, nameOf(data, number) ?? node.op),
    facts(data, node, number),
    element("h2", {}, "Came from"),
    ...ruleCards(chainBehind(data.name, node), "No rule made it: it stands in the program, or constant folding made it."),
    ...(fate.length ? [element("h2", {}, "Becomes"), ...ruleCards(fate, "")] : []),
    element("h2", {}, "Rules tried at it in the end"),
    isLast ? whyNot(data, node, number) : link("Show the program after all rewrites", () => moveTo(rewrites.length)));
}

// A value that the shown program does not have.
function showLostValue(functionName, id) {
  const fate = fateOf(functionName, { id });
  const maker = rewrites.findIndex((step) => step.function === functionName && step.to === id);
  const later = maker >= state.position ? ruleCards([maker]) : [];
  document.getElementById("value").replaceChildren(
    element("h2", { id: "chosen" }, "Not in the program at this point"),
    ...(later.length ? [element("h2", {}, "Will be made by"), ...later] : []),
    ...(fate.length ? [element("h2", {}, "Becomes"), ...ruleCards(fate)] : []));
}

// -- the list of rewrites: rows in sight only

const rowHeight = 22;

function showRewrites() {
  const pane = document.getElementById("rewrites");
  pane.replaceChildren(element("div", { class: "all", style: `height: ${rewrites.length * rowHeight}px` }));
  pane.addEventListener("scroll", fillRewrites);
}

function fillRewrites() {
  const pane = document.getElementById("rewrites");
  const all = pane.firstElementChild;
  const first = Math.max(0, Math.floor(pane.scrollTop / rowHeight) - 5);
  const last = Math.min(rewrites.length, first + Math.ceil(pane.clientHeight / rowHeight) + 10);
  const rows = [];
  for (let i = first; i < last; i++) rows.push(rewriteRow(i));
  all.replaceChildren(...rows);
}

function rewriteRow(number) {
  const step = rewrites[number];
  const now = number + 1 === state.position;
  return element("div", {
    class: now ? "row now" : "row", style: `top: ${number * rowHeight}px`, title: `${step.before}  =>  ${step.after}`,
    onclick: () => moveTo(number + 1),
  }, `#${number + 1} @${step.function} `, element("span", { class: "rule" }, run.rules[step.rule].name), ` ${step.before}`);
}

function followRewrites() {
  const pane = document.getElementById("rewrites");
  if (pane.hidden) return;
  const top = (state.position - 1) * rowHeight;
  if (top < pane.scrollTop || top > pane.scrollTop + pane.clientHeight - rowHeight) pane.scrollTop = top - pane.clientHeight / 2;
  fillRewrites();
}

// -- statistics

function showStatistics() {
  const byCount = (a, b) => b.fired - a.fired || (a.name < b.name ? -1 : 1);
  const fired = run.rules.filter((rule) => rule.fired > 0).sort(byCount);
  const title = (rule) => `${rule.text}\ntried ${rule.tried ?? 0} times, matched ${rule.matched ?? 0} times`;
  const phases = run.phases.filter((phase) => phase.rewrites > 0);
  const operations = Object.entries(run.operations).flatMap(([name, [before, after]]) => [
    [name, before, `${name} before`, "before"], ["", after, `${name} after`]]);
  document.getElementById("statistics").replaceChildren(
    element("h2", {}, `Rewrites by rule: ${rewrites.length}`),
    bars(fired.map((rule) => [rule.name, rule.fired, title(rule)])),
    element("h2", {}, "Rewrites by phase"),
    bars(phases.map((phase) => [phase.name, phase.rewrites, `${phase.nodes} nodes made`])),
    element("h2", {}, "Operations before (grey) and after"),
    bars(operations));
}
