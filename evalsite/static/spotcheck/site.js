// Small conveniences; every page works without them. Scripts use only data-* attributes.

// After a refused form, move the focus to the first problem.
document.querySelector("[data-focus-first]")?.focus();

// Desks in other tabs may wait for a sign-in.
new BroadcastChannel("spotcheck").postMessage("opened");

// A short message goes by itself, but not while it is read or its link has the focus.
for (const message of document.querySelectorAll("[data-passing]")) {
  const list = message.parentElement;
  const go = () => {
    if (message.matches(":hover, :focus-within")) return void setTimeout(go, 2000);
    message.remove();
    if (!list.children.length) list.remove();
  };
  setTimeout(go, 8000);
}

// A button with data-submit copies before its form is sent; the page that follows has the text too.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async (event) => {
    const isSent = "submit" in button.dataset;
    if (isSent) event.preventDefault();
    const field = document.querySelector(button.dataset.copy);
    field.select();
    // Clipboard access needs a secure origin; elsewhere the selected text can be copied by hand.
    await navigator.clipboard?.writeText(field.value).catch((refused) => isSent || Promise.reject(refused));
    button.textContent = button.dataset.copied;
    if (isSent) button.form.requestSubmit();
  });
}

// A menu closes on a click elsewhere, and on Escape, which gives the focus back to its button.
const closeMenus = (but) => {
  for (const menu of document.querySelectorAll("[data-menu][open]")) if (menu !== but) menu.open = false;
};
document.addEventListener("click", (event) => closeMenus(event.target.closest("[data-menu]")));
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && event.target.closest("[data-menu][open]");
  if (!menu) return;
  menu.querySelector("summary").focus();
  menu.open = false;
});

// In a form with several groups, Return presses the button of its own group. The listener is
// delegated, because lists are replaced while the person types.
document.addEventListener("keydown", (event) => {
  const group = event.target.closest("[data-own-button]");
  if (event.key !== "Enter" || event.isComposing || !group || event.target.matches("button")) return;
  event.preventDefault();
  group.querySelector("button").click();
});

// Shortcuts of links and buttons. Never while the person types.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest("input, textarea, select, dialog")) return;
  document.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
});

// On sign-out, delete what the desk kept in this browser for this person, but not for others. Ask
// first if something is unsent, and delete only after the sign-out succeeded.
const LEAVING = "spotcheck:leaving";
const copiesOf = (user) => Object.keys(localStorage).filter((name) => name.startsWith("spotcheck:") && name.split(":")[2] === user);
const unsent = document.querySelector("#unsent");
for (const form of document.querySelectorAll("[data-sign-out]")) {
  form.addEventListener("submit", (event) => {
    const user = form.dataset.signOut;
    const names = copiesOf(user).filter((name) => !name.startsWith("spotcheck:submit:"));
    const reviews = new Set(names.map((name) => name.split(":")[3]));
    if (!reviews.size || !unsent || unsent.open) return sessionStorage.setItem(LEAVING, user);
    event.preventDefault();
    unsent.querySelector("[data-one]").hidden = reviews.size > 1;
    unsent.querySelector("[data-several]").hidden = reviews.size === 1;
    unsent.querySelector("[data-number]").textContent = reviews.size;
    const way = unsent.querySelector("[data-way]");
    way.href = reviews.size === 1 ? `${way.dataset.way}${[...reviews]}/` : way.dataset.way;
    unsent.showModal();
  });
}
unsent?.querySelector("[data-close]").addEventListener("click", () => unsent.close());
// Also when the page is restored from history: then the sign-out did not happen.
addEventListener("pageshow", () => {
  const user = sessionStorage.getItem(LEAVING);
  sessionStorage.removeItem(LEAVING);
  if (user && document.querySelector("[data-signed-out]")) {
    for (const name of copiesOf(user)) localStorage.removeItem(name);
  }
});
