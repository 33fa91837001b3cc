// Highlight the stops of a fact on hover and focus. The page works without it.

// A request that fits needs no button to expand it.
for (const words of document.querySelectorAll("[data-fold]")) {
  const clamp = words.querySelector(".clamp");
  words.querySelector(".more").hidden = clamp.scrollHeight <= clamp.clientHeight;
}

const lit = (refs, on) => {
  for (const pointer of refs.split(" ").filter(Boolean)) {
    for (const stop of document.querySelectorAll(`[data-stop~="${CSS.escape(pointer)}"]`)) {
      stop.classList.toggle("lit", on);
    }
  }
};

for (const fact of document.querySelectorAll("[data-refs]")) {
  for (const [start, end] of [["mouseenter", "mouseleave"], ["focusin", "focusout"]]) {
    fact.addEventListener(start, () => lit(fact.dataset.refs, true));
    fact.addEventListener(end, () => lit(fact.dataset.refs, false));
  }
}
