// Elements of a page, and numbers as bars.

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== undefined && child !== null));
  return made;
}

// Rows of [name, count, title, class, text]; bars as long as the counts, with the text or the count behind them.
function bars(rows) {
  const most = Math.max(...rows.map(([, count]) => count)) || 1;
  const cells = rows.flatMap(([name, count, title, kind, text]) => [
    element("span", { class: "name", title: title ?? name }, name),
    element("div", { class: `bar ${kind ?? ""}`, style: `width: ${(100 * count) / most}%` }),
    element("span", { class: "count" }, text ?? String(count))]);
  return element("div", { class: "bars" }, ...cells);
}
