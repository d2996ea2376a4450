// The left pane: the program at a point of the run, the source, and C++.

// One line of a function, with its marks as elements. `first`: the first mark on it.
function markedLine(data, number) {
  const begin = data.lineStarts[number];
  const end = number + 1 < data.lineStarts.length ? data.lineStarts[number + 1] - 1 : data.text.length;
  const parts = [];
  let at = begin;
  for (let i = firstMark(data, begin); i < data.marks.length && data.marks[i] < end; i += 4) {
    const from = data.marks[i];
    if (from < at) continue;
    const mark = document.createElement("span");
    mark.className = data.marks[i + 2] === 2 ? "mark operation" : "mark name";
    mark.dataset.node = data.marks[i + 3];
    mark.textContent = data.text.slice(from, from + data.marks[i + 1]);
    parts.push(data.text.slice(at, from), mark);
    at = from + data.marks[i + 1];
  }
  parts.push(data.text.slice(at, end));
  return parts;
}

function firstMark(data, offset) {
  let low = 0;
  let high = data.marks.length / 4;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (data.marks[4 * middle] < offset) low = middle + 1;
    else high = middle;
  }
  return 4 * low;
}

// A function as it is, with what changed since the snapshot before.
function functionElement(data, number, before) {
  const rows = before === data ? textLines(data).map((line, i) => ({ kind: "same", line, number: i }))
                               : difference(before, data);
  const lines = rows.map((row) => {
    const content = row.kind === "removed" ? [row.line] : markedLine(data, row.number);
    return element("div", { class: `row ${row.kind}` }, ...content);
  });
  return element("div", { class: "function text", "data-function": number }, ...lines);
}

// The functions of a snapshot by name, in its order.
function functionsOf(snapshot) {
  return new Map(run.snapshots[snapshot].functions.map((number) => [run.functions[number].name, number]));
}

function showProgram(snapshot, previous) {
  const before = previous === undefined ? functionsOf(snapshot) : functionsOf(previous);
  const pane = document.getElementById("program");
  const parts = run.structs ? [element("div", { class: "text" }, run.structs)] : [];
  for (const [name, number] of functionsOf(snapshot))
    parts.push(functionElement(run.functions[number], number, run.functions[before.get(name)]));
  for (const [name, number] of before)
    if (!functionsOf(snapshot).has(name)) parts.push(removedFunction(run.functions[number]));
  pane.replaceChildren(...parts);
}

function removedFunction(data) {
  const rows = textLines(data).map((line) => element("div", { class: "row removed" }, line));
  return element("div", { class: "function text" }, ...rows);
}

function numberedRow(line, number, attributes) {
  return element("div", attributes, element("span", { class: "number" }, String(number)), line);
}

function showSource() {
  const rows = run.source.text.trimEnd().split("\n").map((line, i) =>
    numberedRow(line, i + 1, { class: "row linked", "data-line": i + 1 }));
  document.getElementById("source").replaceChildren(element("div", { class: "text" }, ...rows));
}

function showCpp() {
  const pane = document.getElementById("cpp");
  if (!run.cpp.text) {
    pane.replaceChildren(element("p", {}, `There is no C++ of this program: ${run.cpp.error}`));
    return;
  }
  const rows = cppLines(run.cpp.text).map(({ line, from }, i) =>
    numberedRow(line, i + 1, { class: from.length ? "row linked" : "row", "data-from": from.join(" ") || undefined }));
  pane.replaceChildren(element("div", { class: "text" }, ...rows));
}

// Source lines, C++ lines and values of the program that belong to lines of the source.
function lightLines(lines) {
  const wanted = new Set(lines.map(String));
  for (const row of document.querySelectorAll("#source .row"))
    row.classList.toggle("lit", wanted.has(row.dataset.line));
  for (const row of document.querySelectorAll("#cpp .row[data-from]"))
    row.classList.toggle("lit", row.dataset.from.split(" ").some((line) => wanted.has(line)));
}

function scrollToLit(pane) {
  document.querySelector(`#${pane} .lit`)?.scrollIntoView({ block: "center" });
}
