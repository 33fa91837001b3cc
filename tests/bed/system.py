"""What pip cannot install: Chromium and a font for Chinese. Installed here when we may."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
CJK_FONT = Path("/usr/share/fonts/truetype/wqy/wqy-microhei.ttc")


def chromium_path() -> str | None:
    return next((path for name in CHROMIUM if (path := shutil.which(name))), None)


def missing_packages() -> list[str]:
    packages = [] if chromium_path() else ["chromium"]
    has_font = CJK_FONT.exists() or cjk_font_by_fontconfig()
    return packages if has_font else [*packages, "fonts-wqy-microhei"]


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
            f"Not installed: {', '.join(packages)}. Browser tests are left out without Chromium; "
            f"as root: apt-get install {' '.join(packages)}\n"
        )
        return
    sys.stderr.write(f"Installing {', '.join(packages)} ...\n")
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    for command in (["apt-get", "update", "-qq"], install):
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
