"""Looking at where things stand on a page."""

from playwright.sync_api import Page

UNFOLD = "document.querySelectorAll('main details').forEach(one => one.open = true)"


def overflow(page: Page) -> list[str]:
    """What reaches out of the window: the innermost elements, with how far to the right."""
    found: list[str] = page.evaluate(
        """() => {
          const width = document.documentElement.clientWidth;
          const isOut = one => {
            const box = one.getBoundingClientRect();
            return box.width && (box.right > width + 1 || box.left < -1)
              && !one.closest(".unseen, thead, option, datalist");
          };
          const all = [...document.querySelectorAll("body *")].filter(isOut);
          const found = all.filter(one => ![...one.children].some(isOut)).map(one => {
            const text = one.textContent.trim().slice(0, 30);
            const right = Math.round(one.getBoundingClientRect().right);
            const around = one.parentElement.className;
            return `${around} > ${one.tagName}.${one.className} to ${right}: ${text}`;
          });
          if (document.documentElement.scrollWidth > width) found.push("the page scrolls sideways");
          return found.slice(0, 12);
        }"""
    )
    return found
