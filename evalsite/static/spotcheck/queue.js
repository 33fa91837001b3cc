// Which answers wait in this browser to be sent: those written on the version that is stored.
for (const mark of document.querySelectorAll("[data-kept]")) {
  const copy = localStorage.getItem(`spotcheck:draft:${mark.dataset.kept}`);
  mark.hidden = copy === null || JSON.parse(copy).version !== Number(mark.dataset.version);
}
