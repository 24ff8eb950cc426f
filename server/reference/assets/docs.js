/** Interactive parts of the documentation's pages: copying code, choosing a language, sending an operation. */

/** Adds a copy button to each block of code. */
for (const block of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copied";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent.trimEnd());
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1500);
  });
  block.prepend(button);
}

/** An operation's examples show one language at a time, the one chosen last. */
const kept = "quizstore-docs-language";
const examples = document.getElementById("examples");
if (examples && location.pathname.startsWith("/reference/")) {
  const parts = [];
  for (let at = examples.nextElementSibling; at?.tagName === "H3"; at = at.nextElementSibling.nextElementSibling) {
    parts.push({ heading: at, block: at.nextElementSibling });
  }
  const tabs = document.createElement("div");
  tabs.className = "tabs";
  tabs.setAttribute("role", "group");
  tabs.setAttribute("aria-label", "Language");
  const show = (language) => {
    for (const { heading, block } of parts) {
      heading.hidden = true;
      block.hidden = heading.textContent !== language;
    }
    for (const tab of tabs.children) tab.setAttribute("aria-pressed", String(tab.textContent === language));
  };
  for (const { heading } of parts) {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.textContent = heading.textContent;
    tab.addEventListener("click", () => {
      show(heading.textContent);
      localStorage.setItem(kept, heading.textContent);
    });
    tabs.append(tab);
  }
  examples.after(tabs);
  const chosen = localStorage.getItem(kept);
  show(parts.some(({ heading }) => heading.textContent === chosen) ? chosen : parts[0].heading.textContent);
}

const section = document.querySelector(".try");
if (section) {
  const form = section.querySelector("form");
  const answer = section.querySelector(".answer");
  const keyField = document.getElementById("try-key");
  keyField.value = sessionStorage.getItem("quizstore-docs-key") ?? "";
  section.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { method, path, keyed, confirm: asks } = form.dataset;
    if (asks === "true" && !window.confirm(`Send ${method} to this server?`)) return;
    sessionStorage.setItem("quizstore-docs-key", keyField.value);
    await send(form, answer, { method, path, keyed: keyed === "true", key: keyField.value.trim() });
  });
}

async function send(form, answer, { method, path, keyed, key }) {
  const valuesOf = (place) =>
    [...form.querySelectorAll(`[data-place="${place}"]`)].map((field) => [field.dataset.name, field.value.trim()]);
  const ids = new Map(valuesOf("path"));
  const query = new URLSearchParams(valuesOf("query").filter(([, value]) => value !== ""));
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(ids.get(name) ?? ""));
  const body = document.getElementById("try-body");
  const headers = { authorization: `Bearer ${key}` };
  if (keyed) headers["idempotency-key"] = crypto.getRandomValues(new Uint32Array(4)).join("-");
  if (body) headers["content-type"] = "application/json";
  try {
    const response = await fetch(`${address}${query.size > 0 ? `?${query}` : ""}`, {
      method,
      headers,
      credentials: "omit",
      ...(body ? { body: body.value } : {}),
    });
    show(answer, response, await response.text());
  } catch {
    answer.textContent = "No answer came. Is the server still running?";
  }
}

function show(answer, response, text) {
  const line = document.createElement("p");
  const told = [`Status ${response.status}`];
  for (const name of ["request-id", "ratelimit"]) if (response.headers.has(name)) told.push(response.headers.get(name));
  line.textContent = told.join(" · ");
  const block = document.createElement("pre");
  block.tabIndex = 0;
  block.textContent = readable(text);
  answer.replaceChildren(line, block);
}

function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
