// Mark reviews with unsent changes in this browser: the local copy differs from the stored draft.
import { normal } from "./content.js";

for (const mark of document.querySelectorAll("[data-kept]")) {
  const name = `spotcheck:draft:${mark.dataset.kept}`;
  const copy = JSON.parse(localStorage.getItem(name));
  if (!copy) continue;
  // A save in flight when the desk was left may have arrived since.
  fetch(mark.dataset.stored, { headers: { Accept: "application/json" } })
    .then((response) => response.json())
    .then(({ draft }) => normal(draft) === normal(copy.said))
    .catch(() => false)
    .then((isStored) => {
      mark.hidden = isStored;
      if (isStored) localStorage.removeItem(name);
    });
}
