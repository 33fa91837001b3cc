"""Install what pip cannot, when we may: Chromium, a font for Chinese and the gettext programs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

# The shell is the browser without its own windows: half the work, where there is one.
SHELL = "chromium-headless-shell"
CHROMIUM = (SHELL, "chromium", "chromium-browser", "google-chrome")
CJK_FONT = Path("/usr/share/fonts/truetype/wqy/wqy-microhei.ttc")


def chromium_path() -> str | None:
    return next((path for name in CHROMIUM if (path := shutil.which(name))), None)


def missing_packages() -> list[str]:
    is_installed = {
        SHELL: chromium_path() is not None,
        "fonts-wqy-microhei": CJK_FONT.exists() or cjk_font_by_fontconfig(),
        "gettext": shutil.which("xgettext") is not None,
    }
    return [package for package in is_installed if not is_installed[package]]


def cjk_font_by_fontconfig() -> bool:
    if not shutil.which("fc-list"):
        return False
    found = subprocess.run(["fc-list", ":lang=zh-cn"], capture_output=True, text=True, check=False)
    return bool(found.stdout.strip())


def main() -> None:
    packages = missing_packages()
    if not packages:
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.stderr.write(
            f"Not installed: {', '.join(packages)}. Browser tests are skipped without Chromium, "
            "and the check of the catalogue against the source without gettext. "
            f"As root: apt-get install {' '.join(packages)}\n"
        )
        return
    sys.stderr.write(f"Installing {', '.join(packages)} ...\n")
    apt_get("update", "-qq")
    if SHELL in packages and not is_known(SHELL):
        packages[packages.index(SHELL)] = "chromium"
    apt_get("install", "-y", "-qq", "--no-install-recommends", *packages)


def apt_get(*arguments: str) -> None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", *arguments]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)


def is_known(package: str) -> bool:
    """Older systems have the browser, but not its shell."""
    found = subprocess.run(["apt-cache", "show", package], capture_output=True, check=False)
    return found.returncode == 0


if __name__ == "__main__":
    main()
