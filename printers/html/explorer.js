// The state of the page, and what changes it: the slider, the keyboard, clicks, search.

// `position`: rewrites so far; `snapshot`: the one shown; `chosen`: {function, id} or null.
const state = { position: 0, snapshot: 0, function: null, chosen: null, timer: null, found: [], next: 0 };
const byId = (id) => document.getElementById(id);

// Shows the program after so many rewrites; `snapshot`, where several are known.
function moveTo(position, snapshot = snapshotAt(position)) {
  state.position = Math.max(0, Math.min(rewrites.length, position));
  const changes = state.snapshot !== snapshot;
  state.snapshot = snapshot;
  byId("slider").value = state.position;
  byId("position").value = `${state.position} of ${rewrites.length} rewrites`;
  showStep();
  if (changes) showSnapshot();
  for (const button of byId("points").children)
    button.setAttribute("aria-current", String(Number(button.dataset.snapshot) === state.snapshot));
  followRewrites();
}

function showSnapshot() {
  showProgram(state.snapshot, snapshotBefore(state.snapshot));
  showNote();
  fillFunctions();
  redrawGraph();
  showChosen();
  if (byId("search").value) search();
}

// Says which program is shown, where it is not the one of the position.
function showNote() {
  const { at, label } = run.snapshots[state.snapshot];
  const before = run.snapshots[snapshotBefore(state.snapshot)];
  const name = label ? `the program ${label === "after" ? "after all rewrites" : label}` : `the program after ${at} rewrites`;
  const exact = at === state.position ? "" : `; the nearest snapshot before rewrite ${state.position}`;
  const marked = before ? `; marked: what has changed since ${before.at} rewrites` : "";
  byId("note").textContent = `Shown: ${name}${exact}${marked}`;
}

function showStep() {
  const step = rewrites[state.position - 1];
  showNote();
  if (!step) {
    byId("step").replaceChildren(element("span", { class: "where" }, "The program before any rewrite."));
    return;
  }
  const rule = run.rules[step.rule];
  byId("step").replaceChildren(
    element("div", {},
      element("span", { class: "rule" }, `#${state.position} ${rule.name} `),
      element("span", { class: "where" }, `in @${step.function}, phase ${step.phase}; ${rule.file}:${rule.line}`)),
    element("code", { title: rule.text }, ruleText(rule).replace(/\s+/g, " ")),
    element("code", { title: step.before }, step.before),
    element("code", { title: step.after }, element("span", { class: "arrow" }, "=> "), step.after));
}

// -- functions and the graph

function currentFunctions() {
  return functionsOf(state.snapshot);
}

function fillFunctions() {
  const names = [...currentFunctions().keys()];
  const wanted = state.chosen?.function ?? state.function ?? rewrites[state.position - 1]?.function;
  state.function = names.includes(wanted) ? wanted : names[0];
  const options = names.map((name) => element("option", { value: name, selected: name === state.function }, `@${name}`));
  byId("function").replaceChildren(...options);
}

function redrawGraph() {
  const data = run.functions[currentFunctions().get(state.function)];
  const previous = snapshotBefore(state.snapshot);
  const before = previous === undefined ? undefined : run.functions[functionsOf(previous).get(state.function)];
  const chosen = state.chosen?.function === state.function ? data && chosenIn(data) : undefined;
  drawGraph(data, chosen, before);
  lightNode(chosen);
}

// -- the chosen value

function choose(functionName, id) {
  const data = run.functions[currentFunctions().get(functionName)];
  const number = data?.byId.get(id);
  const name = number === undefined ? undefined : data.nodes[number].name && nameOf(data, number);
  state.chosen = id === undefined ? null : { function: functionName, id, name };
  if (state.chosen && state.function !== functionName) {
    state.function = functionName;
    fillFunctions();
    redrawGraph();
  }
  if (state.chosen) selectTab(byId("right"), "value");
  showChosen();
}

// The chosen value in a function as it is now: the same node, or the one of the same name.
function chosenIn(data) {
  const { id, name } = state.chosen;
  const same = data.byId.get(id);
  if (same !== undefined || !name) return same;
  const found = data.nodes.findIndex((node, number) => node.name === name.slice(1) && nameOf(data, number) === name);
  return found < 0 ? undefined : found;
}

function showChosen() {
  for (const mark of document.querySelectorAll(".mark.chosen, .mark.used")) mark.classList.remove("chosen", "used");
  if (!state.chosen) {
    lightNode(undefined);
    return showValue();
  }
  const index = currentFunctions().get(state.chosen.function);
  const data = run.functions[index];
  const number = data && chosenIn(data);
  if (number === undefined) {
    lightNode(undefined);
    return showLostValue(state.chosen.function, state.chosen.id);
  }
  markChosen(index, data, number);
  showValue(data, number);
  const line = lineOf(data, number);
  lightLines(line ? [line] : []);
  if (state.function === state.chosen.function) lightNode(number);
}

function markChosen(index, data, number) {
  const drawn = drawnNode(data, number);
  for (const mark of document.querySelectorAll(`[data-function="${index}"] .mark`)) {
    const marked = Number(mark.dataset.node);
    if (marked === number || (mark.classList.contains("operation") && marked === drawn)) mark.classList.add("chosen");
  }
}

function showLine(line) {
  selectTab(byId("left"), "source");
  lightLines([line]);
  scrollToLit("source");
}

// -- tabs

function selectTab(pane, name) {
  for (const tab of pane.querySelectorAll(".tab")) tab.hidden = tab.id !== name;
  for (const button of pane.querySelectorAll("[role=tab]"))
    button.setAttribute("aria-selected", String(button.dataset.tab === name));
  if (name === "cpp" && !byId("cpp").hasChildNodes()) {
    showCpp();
    const first = document.querySelector("#cpp .linked");
    first?.scrollIntoView({ block: "start" });
    showChosen();
  }
  if (name === "rewrites") followRewrites();
}

// -- search

function search() {
  const wanted = byId("search").value.trim().toLowerCase();
  for (const mark of document.querySelectorAll(".found")) mark.classList.remove("found");
  const fits = (text) => wanted && text.toLowerCase().includes(wanted);
  state.found = [...document.querySelectorAll("#program .mark")].filter((mark) => fits(mark.textContent));
  for (const mark of state.found) mark.classList.add("found");
  for (const node of document.querySelectorAll("#graph .node"))
    if (fits(node.querySelector("text").textContent)) node.classList.add("found");
  byId("found").textContent = wanted ? `${state.found.length} found` : "";
  state.next = 0;
}

function nextFound() {
  if (!state.found.length) return;
  const mark = state.found[state.next++ % state.found.length];
  mark.scrollIntoView({ block: "center" });
  chooseMark(mark);
}

// -- playing

function play() {
  if (state.timer) return stop();
  if (state.position === rewrites.length) moveTo(0);
  const stride = Math.ceil(rewrites.length / 300);
  state.timer = setInterval(() => {
    moveTo(state.position + stride);
    if (state.position === rewrites.length) stop();
  }, rewrites.length <= 50 ? 700 : 150);
  byId("play").textContent = "❚❚ Stop";
}

function stop() {
  clearInterval(state.timer);
  state.timer = null;
  byId("play").textContent = "▶ Play";
}

// -- events

function chooseMark(mark) {
  const data = run.functions[mark.closest("[data-function]").dataset.function];
  choose(data.name, data.nodes[mark.dataset.node].id);
}

function onGraphClick(event) {
  const group = event.target.closest(".node");
  if (!group) return;
  const data = graph.drawn.data;
  const number = Number(group.dataset.node);
  if (event.target.classList.contains("head") || event.detail === 2) {
    setFolded(data, number, !isFolded(data, number));
    redrawGraph();
    return;
  }
  choose(data.name, data.nodes[number].id);
}

function foldAll() {
  const { data } = graph.drawn ?? {};
  if (!data) return;
  const blocks = [...childrenOf(data).keys()].filter((owner) => owner >= 0);
  const fold = blocks.some((owner) => !isFolded(data, owner));
  for (const owner of blocks) setFolded(data, owner, fold);
  byId("fold").textContent = fold ? "Open" : "Collapse";
  redrawGraph();
}

function onLineClick(event) {
  const row = event.target.closest(".row.linked");
  if (!row) return;
  const lines = row.dataset.line ? [row.dataset.line] : row.dataset.from.split(" ");
  lightLines(lines);
  const wanted = new Set(lines.map(Number));
  for (const mark of document.querySelectorAll("#program .mark")) {
    const data = run.functions[mark.closest("[data-function]").dataset.function];
    mark.classList.toggle("used", wanted.has(lineAt(data.nodes[mark.dataset.node].place)));
  }
}

const keys = {
  ArrowLeft: () => moveTo(state.position - 1),
  ArrowRight: () => moveTo(state.position + 1),
  Home: () => moveTo(0),
  End: () => moveTo(rewrites.length),
  " ": play,
  "/": () => byId("search").focus(),
  Escape: () => choose(undefined, undefined),
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === byId("search")) {
    if (event.key === "Enter") nextFound();
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const isControl = event.target.matches("button, select, summary");
  if (!keys[event.key] || (event.key === " " && isControl)) return;
  event.preventDefault();
  keys[event.key]();
}

function listen() {
  document.addEventListener("keydown", onKey);
  byId("slider").addEventListener("input", (event) => moveTo(Number(event.target.value)));
  byId("back").addEventListener("click", keys.ArrowLeft);
  byId("forth").addEventListener("click", keys.ArrowRight);
  byId("play").addEventListener("click", play);
  byId("search").addEventListener("input", search);
  byId("program").addEventListener("click", (event) => {
    const mark = event.target.closest(".mark");
    if (mark) chooseMark(mark);
  });
  byId("source").addEventListener("click", onLineClick);
  byId("cpp").addEventListener("click", onLineClick);
  byId("graph").addEventListener("click", onGraphClick);
  byId("graph").addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomBy(event.deltaY < 0 ? 1.15 : 1 / 1.15);
  }, { passive: false });
  byId("closer").addEventListener("click", () => zoomBy(1.25));
  byId("farther").addEventListener("click", () => zoomBy(0.8));
  byId("fit").addEventListener("click", () => fitGraph());
  byId("fold").addEventListener("click", foldAll);
  byId("function").addEventListener("change", (event) => {
    state.function = event.target.value;
    redrawGraph();
  });
  for (const button of document.querySelectorAll("[role=tab]"))
    button.addEventListener("click", () => selectTab(button.closest(".pane"), button.dataset.tab));
}

function showPoints() {
  run.snapshots.forEach((snapshot, number) => {
    if (!snapshot.label) return;
    const onclick = () => moveTo(snapshot.at, number);
    byId("points").append(element("button", { "data-snapshot": number, onclick }, snapshot.label.replace("after phase ", "")));
  });
}

function begin() {
  document.title = `${run.source.name} – irrewrite`;
  byId("title").textContent = run.source.name;
  byId("slider").max = rewrites.length;
  listen();
  showPoints();
  showSource();
  showRewrites();
  showStatistics();
  selectTab(byId("left"), "program");
  selectTab(byId("right"), "value");
  showSnapshot();
  moveTo(rewrites.length);
  fitGraph(0.7);
  const first = run.functions[run.snapshots.at(-1).functions[0]];
  if (first?.results.length) choose(first.name, first.nodes[first.results[0]].id);
}

begin();
