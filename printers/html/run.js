// The run as data (printers/html/README.md), and questions about it. Nothing here touches the page.

const run = JSON.parse(document.getElementById("run").textContent);

// The steps that are rewrites; the others are notes of strategies.
const rewrites = run.steps.filter((step) => step.rule !== undefined);

for (const data of run.functions) {
  data.lineStarts = startsOfLines(data.text);
  data.byId = new Map(data.nodes.map((node, number) => [node.id, number]));
}

function startsOfLines(text) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

// The last index whose entry is not above the value.
function lastNotAbove(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle;
    else high = middle;
  }
  return low;
}

// The line of the program's text at a place, from 1 on; 0: the place is not in it.
function lineAt(place) {
  const offset = place - run.source.begin;
  if (place === undefined || offset < 0 || offset > run.source.lines.at(-1) + 1e6) return 0;
  if (offset >= new TextEncoder().encode(run.source.text).length + 1) return 0;
  return lastNotAbove(run.source.lines, offset) + 1;
}

const snapshotPoints = run.snapshots.map((snapshot) => snapshot.at);

// The last snapshot before so many rewrites.
function snapshotAt(position) {
  return lastNotAbove(snapshotPoints, position);
}

// The last one with fewer rewrites than that, which it is compared with.
function snapshotBefore(snapshot) {
  const { at } = run.snapshots[snapshot];
  return at > 0 ? snapshotAt(at - 1) : undefined;
}

// The rewrites behind a node, from the source on: as -explain tells them (chain_behind in engine/state/trace.cpp).
function chainBehind(functionName, node) {
  const chain = new Set();
  let { rule, place } = node;
  let id = node.id;
  let end = rewrites.length;
  while (rule !== undefined) {
    const found = lastThat(end, functionName, rule, id, place);
    if (found < 0) break;
    chain.add(found);
    end = found;
    const step = rewrites[found];
    [rule, place, id] = [step.made_by, step.place, step.from];
  }
  if (node.name !== undefined) {
    rewrites.forEach((step, number) => {
      if (step.name === node.name && step.function === functionName) chain.add(number);
    });
  }
  return [...chain].sort((a, b) => a - b);
}

// The rewrite that made the node itself, or else the last of its rule at its place.
function lastThat(end, functionName, rule, id, place) {
  const belongs = (step) => step.function === functionName && step.rule === rule;
  for (let i = end; i-- > 0; ) if (belongs(rewrites[i]) && rewrites[i].to === id) return i;
  for (let i = end; i-- > 0; ) if (belongs(rewrites[i]) && rewrites[i].place === place) return i;
  return -1;
}

// What became of a node that is not in the result: the rewrites that replaced it, one after the other.
function fateOf(functionName, node) {
  const fate = [];
  let id = node.id;
  rewrites.forEach((step, number) => {
    if (step.function !== functionName || step.from !== id) return;
    fate.push(number);
    id = step.to;
  });
  return fate;
}

const textLines = (data) => (data ? data.text.trimEnd().split("\n") : []);

// The lines of a function as they are compared: `%0`, a name that the printer gave, is the operation that it names, since what goes
// above it gives it another number.
function comparedLines(data) {
  const parts = [];
  let at = 0;
  for (let i = 0; data && i < data.marks.length; i += 4) {
    const [from, size, , node] = data.marks.slice(i, i + 4);
    const name = data.text.slice(from, from + size);
    if (from < at || !/^%\d+$/.test(name)) continue;
    parts.push(data.text.slice(at, from), `%<${data.nodes[node].op ?? "parameter"}>`);
    at = from + size;
  }
  return data ? (parts.join("") + data.text.slice(at)).trimEnd().split("\n") : [];
}

// A difference of two functions: [{kind: "same" | "added" | "removed", line, number}], with the numbers of lines of their texts.
function difference(dataBefore, dataAfter) {
  const before = comparedLines(dataBefore);
  const after = comparedLines(dataAfter);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const rows = after.slice(0, start).map((_, i) => ({ kind: "same", number: i }));
  rows.push(...middleDifference(before.slice(start, before.length - end), after.slice(start, after.length - end), start));
  for (let i = after.length - end; i < after.length; i++) rows.push({ kind: "same", number: i });
  const lines = { removed: textLines(dataBefore), added: textLines(dataAfter), same: textLines(dataAfter) };
  return rows.map((row) => ({ ...row, line: lines[row.kind][row.number] }));
}

// By the longest common subsequence, where it is not too expensive.
function middleDifference(before, after, start) {
  const rows = [];
  const removed = (i) => rows.push({ kind: "removed", number: start + i });
  const added = (j) => rows.push({ kind: "added", number: start + j });
  const common = before.length * after.length <= 1e6 ? commonLengths(before, after) : null;
  let i = 0;
  let j = 0;
  while (common && i < before.length && j < after.length) {
    if (before[i] === after[j]) rows.push({ kind: "same", number: start + j }), i++, j++;
    else if (common[i + 1][j] >= common[i][j + 1]) removed(i++);
    else added(j++);
  }
  while (i < before.length) removed(i++);
  while (j < after.length) added(j++);
  return rows;
}

function commonLengths(before, after) {
  const table = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let i = before.length; i-- > 0; )
    for (let j = after.length; j-- > 0; )
      table[i][j] = before[i] === after[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  return table;
}

// The lines of the C++ text: those behind a comment `// line 5` or `// lines 5, 7-8` belong to these lines of the program.
function cppLines(text) {
  let current = [];
  return text.split("\n").map((line) => {
    const comment = /^\s*\/\/ lines? ([\d, -]+)$/.exec(line);
    if (comment) current = comment[1].split(",").flatMap(rangeOfLines);
    else if (line === "}" || line === "") current = [];
    return { line, from: current };
  });
}

function rangeOfLines(text) {
  const [first, last = first] = text.trim().split("-").map(Number);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
