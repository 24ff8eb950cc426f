// The storefront's own script: updates the cart's number, adds to the cart without leaving the page, and polls for an
// order's results. Every form works without it.

const count = document.querySelector("[data-count]");
const said = document.querySelector("[data-said]");
let quietAgain;

function say(sentence) {
  said.textContent = sentence;
  clearTimeout(quietAgain);
  quietAgain = setTimeout(() => {
    said.textContent = "";
  }, 6000);
}

async function recount() {
  const answer = await fetch("/demo/cart.js", { headers: { accept: "application/json" } });
  if (!answer.ok) return null;
  const { item_count: items } = await answer.json();
  count.textContent = String(items);
  return items;
}

async function add(form) {
  const data = new FormData(form);
  const item = { id: Number(data.get("id")), quantity: Number(data.get("quantity")) };
  const answer = await fetch("/demo/cart/add.js", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ items: [item] }),
  });
  const body = await answer.json();
  const items = await recount();
  if (!answer.ok) say(body.description);
  else say(items === 0 ? "The cart is kept in a cookie, and this browser keeps none." : "It is in your cart.");
}

for (const form of document.querySelectorAll("[data-add]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    add(form).catch(() => form.submit());
  });
}

// the event for a product that a quiz has put into the cart; it comes when the cart has accepted it
document.addEventListener("quizstore:product-added", () => {
  say("The quiz put it into your cart.");
  recount().catch(() => say("The cart's number could not be read; the cart itself has it."));
});

// an order's results are complete a moment later
async function look(again) {
  if (again === 0 || document.querySelector("[data-unfinished]") === null) return;
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const answer = await fetch(location.href);
  if (answer.ok) {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const newer = page.querySelector("[data-happened]");
    if (newer !== null) document.querySelector("[data-happened]").replaceWith(newer);
  }
  await look(again - 1);
}
look(20).catch(() => say("This page could not be read anew; load it again to see what happened since."));
