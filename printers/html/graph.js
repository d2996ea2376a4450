// The middle pane: one function as a graph, drawn by layers, with blocks as boxes around what they compute.

const graph = { zoom: 1, folded: new Map(), drawn: null };
const sizes = { letter: 7.3, height: 24, padding: 12, head: 22, gapX: 14, gapY: 26, most: 600, foldFrom: 200 };

// What stands for a value in the graph: results of an operation with several stand for the operation.
function drawnNode(data, number) {
  while (data.nodes[number].op === "project" && data.nodes[number].operands.length) number = data.nodes[number].operands[0];
  return number;
}

// The names that the text gives to each drawn node.
function namesOf(data) {
  if (data.names) return data.names;
  data.names = new Map();
  for (let i = 0; i < data.marks.length; i += 4) {
    const [begin, size, kind, node] = data.marks.slice(i, i + 4);
    if (kind === 2) continue;
    const number = drawnNode(data, node);
    const parameter = data.nodes[number].op === undefined;
    const names = data.names.get(number) ?? [];
    const name = data.text.slice(begin, begin + size);
    if ((kind === 0 || parameter) && !names.includes(name) && !(parameter && names.length)) names.push(name);
    data.names.set(number, names);
  }
  return data.names;
}

// The name by which the text calls a value.
function nameOf(data, number) {
  for (let i = 0; i < data.marks.length; i += 4)
    if (data.marks[i + 3] === number && data.marks[i + 2] !== 2) return data.text.slice(data.marks[i], data.marks[i] + data.marks[i + 1]);
  return undefined;
}

function labelOf(data, number) {
  const names = (namesOf(data).get(number) ?? []).join(", ");
  const op = data.nodes[number].op;
  if (op === undefined) return names;
  return names ? `${names} = ${op}` : op;
}

// Whether the blocks of a node are drawn as one box without content.
function isFolded(data, number) {
  const key = `${data.name} ${data.nodes[number].id}`;
  return graph.folded.get(key) ?? data.nodes.length > sizes.foldFrom;
}

function setFolded(data, number, folded) {
  graph.folded.set(`${data.name} ${data.nodes[number].id}`, folded);
}

// The nodes by the block in which they stand: children.get(owner), -1 for the function itself.
function childrenOf(data) {
  const children = new Map();
  data.nodes.forEach((node, number) => {
    if (drawnNode(data, number) !== number) return;
    const owner = ownerOf(data, number);
    if (!children.has(owner)) children.set(owner, []);
    children.get(owner).push(number);
  });
  return children;
}

function ownerOf(data, number) {
  const owner = data.nodes[number].owner;
  return owner === undefined || owner === number ? -1 : drawnNode(data, owner);
}

// The owners around a node, itself first, the function last.
function pathTo(data, number) {
  const path = [number];
  while (path.at(-1) !== -1 && path.length < data.nodes.length + 2) path.push(ownerOf(data, path.at(-1)));
  return path;
}

// Which parts of each region come before which: dependences of nodes, lifted to the boxes around them.
function dependences(data, edges) {
  const before = new Map();
  for (const [from, to] of edges) {
    const around = pathTo(data, to);
    const path = pathTo(data, from);
    const at = path.findIndex((owner) => around.includes(owner));
    if (at < 1) continue;
    const target = around[around.indexOf(path[at]) - 1];
    if (target === undefined || target === path[at - 1]) continue;
    if (!before.has(target)) before.set(target, new Set());
    before.get(target).add(path[at - 1]);
  }
  return before;
}

function edgesOf(data) {
  const edges = [];
  data.nodes.forEach((node, number) => {
    if (drawnNode(data, number) !== number) return;
    for (const operand of node.operands ?? []) edges.push([drawnNode(data, operand), number]);
  });
  return edges;
}

// The layer of each node of a region: one more than the highest of what it needs there.
function layersOf(numbers, before) {
  const inside = new Set(numbers);
  const layer = new Map();
  for (const start of numbers) {
    const stack = [start];
    while (stack.length) {
      const number = stack.at(-1);
      const needs = [...(before.get(number) ?? [])].filter((other) => inside.has(other));
      const open = needs.filter((other) => !layer.has(other) && !stack.includes(other));
      if (open.length && !layer.has(number)) stack.push(...open);
      else layer.set(stack.pop(), Math.max(-1, ...needs.map((other) => layer.get(other) ?? -1)) + 1);
    }
  }
  const layers = [];
  for (const number of numbers) (layers[layer.get(number)] ??= []).push(number);
  return layers.filter(Boolean);
}

// Sizes and positions, relative to the region, of all that stands in it.
function layOutRegion(data, owner, children, before) {
  const numbers = children.get(owner) ?? [];
  const boxes = new Map(numbers.map((number) => [number, layOutNode(data, number, children, before)]));
  const center = new Map();
  let y = 0;
  let width = 0;
  const layers = layersOf(numbers, before);
  for (const layer of layers) {
    orderLayer(layer, before, center);
    let x = 0;
    for (const number of layer) {
      const box = boxes.get(number);
      Object.assign(box, { x, y });
      center.set(number, x + box.width / 2);
      x += box.width + sizes.gapX;
    }
    width = Math.max(width, x - sizes.gapX);
    y += Math.max(...layer.map((number) => boxes.get(number).height)) + sizes.gapY;
  }
  for (const layer of layers) centerLayer(layer, boxes, width);
  return { boxes, width, height: Math.max(0, y - sizes.gapY) };
}

function orderLayer(layer, before, center) {
  const weight = (number) => {
    const known = [...(before.get(number) ?? [])].filter((other) => center.has(other));
    return known.length ? known.reduce((sum, other) => sum + center.get(other), 0) / known.length : 0;
  };
  const weights = new Map(layer.map((number) => [number, weight(number)]));
  layer.sort((a, b) => weights.get(a) - weights.get(b) || a - b);
}

function centerLayer(layer, boxes, width) {
  const last = boxes.get(layer.at(-1));
  const shift = (width - last.x - last.width) / 2;
  for (const number of layer) boxes.get(number).x += shift;
}

function layOutNode(data, number, children, before) {
  const label = labelOf(data, number);
  const width = label.length * sizes.letter + 18;
  const inside = children.get(number);
  if (!inside) return { label, width, height: sizes.height };
  if (isFolded(data, number)) {
    const folded = `▸ ${label}  { ${inside.length} }`;
    return { label: folded, block: true, width: folded.length * sizes.letter + 18, height: sizes.height };
  }
  const region = layOutRegion(data, number, children, before);
  return {
    label: `▾ ${label}`, block: true, region,
    width: Math.max(width + 16, region.width + 2 * sizes.padding),
    height: region.height + sizes.head + 2 * sizes.padding,
  };
}

const svgSpace = document.querySelector("#graph svg").namespaceURI;
function svg(tag, attributes, ...children) {
  const made = document.createElementNS(svgSpace, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// Boxes with absolute positions, into `places`.
function placeRegion(region, x, y, places) {
  for (const [number, box] of region.boxes) {
    const placed = { ...box, x: x + box.x, y: y + box.y };
    places.set(number, placed);
    if (!box.region) continue;
    const inset = (box.width - box.region.width) / 2;
    placeRegion(box.region, placed.x + inset, placed.y + sizes.head + sizes.padding / 2, places);
  }
}

// What is drawn for a node: itself, or the folded box around it.
function visible(data, number, places) {
  return pathTo(data, number).find((owner) => places.has(owner));
}

function drawNode(data, number, box, fresh) {
  const node = data.nodes[number];
  const kinds = ["node", box.region ? "block" : "", node.op === undefined ? "parameter" : "", fresh ? "fresh" : ""];
  const shape = svg("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: 5 });
  const text = svg("text", { x: box.x + 9, y: box.y + 16, class: box.block ? "head" : "" }, box.label);
  const title = svg("title", {}, `${node.term ?? box.label}: ${node.type}`);
  return svg("g", { class: kinds.join(" ").trim(), "data-node": number }, shape, text, title);
}

function drawEdge(from, to, ends) {
  const [x1, y1, x2, y2] = [from.x + from.width / 2, from.y + from.height, to.x + to.width / 2, to.y];
  const bend = Math.max(12, Math.abs(y2 - y1) / 2);
  const path = svg("path", { d: `M${x1},${y1} C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}` });
  path.dataset.from = ends[0];
  path.dataset.to = ends[1];
  return path;
}

// A function too large to be drawn whole: the nodes around one of them.
function neighbourhood(data, edges, chosen) {
  const near = new Map(data.nodes.map((_, number) => [number, []]));
  for (const [from, to] of edges) near.get(from).push(to), near.get(to).push(from);
  const kept = new Set([drawnNode(data, chosen)]);
  for (const number of kept) {
    for (const other of near.get(number)) if (kept.size < sizes.most / 4) kept.add(other);
  }
  return kept;
}

function drawGraph(data, chosen, previous) {
  const pane = document.getElementById("graph");
  if (!data || !data.nodes.length) return pane.replaceChildren();
  const children = childrenOf(data);
  let edges = edgesOf(data);
  let note = "";
  if ((children.get(-1) ?? []).length > sizes.most) {
    const kept = neighbourhood(data, edges, chosen ?? data.results[0] ?? 0);
    children.set(-1, children.get(-1).filter((number) => kept.has(number)));
    edges = edges.filter(([from, to]) => kept.has(from) && kept.has(to));
    note = `The function has ${data.nodes.length} nodes: those around the chosen value are drawn.`;
  }
  const region = layOutRegion(data, -1, children, dependences(data, edges));
  const places = new Map();
  placeRegion(region, sizes.padding, sizes.padding, places);
  const content = svg("svg", {});
  const known = previous && new Set(previous.nodes.map((node) => node.id));
  const nodes = [...places].map(([number, box]) => {
    const fresh = known && !known.has(data.nodes[number].id);
    return { open: box.region !== undefined, drawn: drawNode(data, number, box, fresh) };
  });
  // Boxes are below edges, and edges below nodes.
  content.append(...nodes.filter((node) => node.open).map((node) => node.drawn));
  drawEdges(data, edges, places, content);
  content.append(...nodes.filter((node) => !node.open).map((node) => node.drawn));
  graph.drawn = { data, content, width: region.width + 2 * sizes.padding, height: region.height + 2 * sizes.padding };
  pane.replaceChildren(...(note ? [element("p", { class: "where" }, note)] : []), content);
  applyZoom();
}

function drawEdges(data, edges, places, content) {
  const seen = new Set();
  for (const [from, to] of edges) {
    const ends = [visible(data, from, places), visible(data, to, places)];
    const key = ends.join(" ");
    if (ends.includes(undefined) || ends.includes(-1) || ends[0] === ends[1] || seen.has(key)) continue;
    seen.add(key);
    if (!pathTo(data, ends[0]).includes(ends[1]))
      content.append(drawEdge(places.get(ends[0]), places.get(ends[1]), ends));
  }
}

function applyZoom() {
  if (!graph.drawn) return;
  const { content, width, height } = graph.drawn;
  content.setAttribute("viewBox", `0 0 ${width} ${height}`);
  content.setAttribute("width", width * graph.zoom);
  content.setAttribute("height", height * graph.zoom);
}

function zoomBy(factor) {
  graph.zoom = Math.min(4, Math.max(0.05, graph.zoom * factor));
  applyZoom();
}

function fitGraph(least = 0.05) {
  if (!graph.drawn) return;
  const pane = document.getElementById("graph");
  const { width, height } = graph.drawn;
  graph.zoom = Math.max(least, Math.min(1.2, pane.clientWidth / width, (pane.clientHeight - 8) / height));
  applyZoom();
}

// Shows which node is chosen, and the edges at it.
function lightNode(number) {
  if (!graph.drawn) return;
  const { data, content } = graph.drawn;
  const drawn = number === undefined ? undefined : String(drawnNode(data, number));
  for (const node of content.querySelectorAll(".node")) node.classList.toggle("chosen", node.dataset.node === drawn);
  for (const path of content.querySelectorAll("path"))
    path.classList.toggle("lit", path.dataset.from === drawn || path.dataset.to === drawn);
}
