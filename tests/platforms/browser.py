"""A page in headless Chromium: it is opened, read and clicked on as a user does, through the browser's own protocol on a pipe."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

STATE = """JSON.stringify({focus: document.hasFocus(), visible: document.visibilityState, active: document.activeElement.id || document.activeElement.tagName,
    dialogs: [...document.querySelectorAll("dialog[open]")].map(d => [d.id, d.innerText, [...d.querySelectorAll("input")].map(i => i.value)]), text: document.body.innerText})"""
NAMES = ("chromium", "chromium-browser", "google-chrome")


def executable():
    """None: no browser is installed."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    def __init__(self, address, timeout=600):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # processes of the browser may write a little longer  # pylint: disable=consider-using-with
        self.deadline = time.monotonic() + timeout
        self.number = 0
        (from_us, self.to), (self.answers, from_it) = os.pipe(), os.pipe()
        # The browser reads commands from 3 and writes answers to 4.
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            ["bash", "-c", f'exec "$@" 3<&{from_us} 4>&{from_it}', "browser", executable(), "--headless", "--no-sandbox", "--allow-file-access-from-files", "--disable-gpu",
             "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}", "--window-size=1400,1000", "about:blank"],
            pass_fds=(from_us, from_it), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(from_us)
        os.close(from_it)
        self.read = b""
        self.session = None
        target = self.command("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.command("Emulation.setFocusEmulationEnabled", enabled=True)  # the window of the start may take the focus late
        self.command("Page.navigate", url=address)

    def command(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters, **({"sessionId": self.session} if self.session else {})}
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            assert time.monotonic() < self.deadline, f"the browser does not answer {method}"
            while b"\0" not in self.read:
                part = os.read(self.answers, 65536)
                assert part, "the browser has ended"
                self.read += part
            text, self.read = self.read.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self.number:
                assert "error" not in answer, f"{method}: {answer}"
                return answer["result"]

    def value(self, expression):
        """The value of an expression in the page."""
        result = self.command("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def wait_for(self, expression, again=None):
        """Until it is true; answers it. A page that is being loaded lacks elements. What a user would do once more when nothing happens,
        `again` does every 20 seconds."""
        last = time.monotonic()
        while True:
            value = self.value(f"(() => {{ try {{ return {expression}; }} catch {{ return null; }} }})()")
            if value:
                return value
            now = time.monotonic()
            assert now < self.deadline - 5, f"{expression}\n{self.value(STATE)}"  # the page must answer what it shows before the deadline
            if again and now > last + 20:
                print(f"once more, for {expression}: {self.value(STATE)}")
                again()
                last = now
            time.sleep(0.01)

    def click(self, element, x=0.5, y=0.5):
        """The left button at a place of an element, in parts of its width and height."""
        left, top, width, height = self.value(f"(() => {{ const r = document.querySelector({json.dumps(element)}).getBoundingClientRect();"
                                              " return [r.left, r.top, r.width, r.height]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.command("Input.dispatchMouseEvent", type=kind, x=left + x * width, y=top + y * height, button="left", clickCount=1)

    def move(self, element, x=0.5, y=0.5):
        """The pointer to a place of an element."""
        left, top, width, height = self.value(f"(() => {{ const r = document.querySelector({json.dumps(element)}).getBoundingClientRect();"
                                              " return [r.left, r.top, r.width, r.height]; })()")
        self.command("Input.dispatchMouseEvent", type="mouseMoved", x=left + x * width, y=top + y * height)

    def press(self, key, shift=False):
        """A key, as a keyboard sends it: a character goes into what has the focus."""
        text = {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 else "")
        names = {" ": "Space", "Enter": "Enter"}
        code = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13, "Escape": 27, "Tab": 9}.get(key, ord(key[0].upper()))
        for kind in ("keyDown", "keyUp"):
            self.command("Input.dispatchKeyEvent", type=kind, key=key, code=names.get(key, key), windowsVirtualKeyCode=code, modifiers=8 if shift else 0,
                         **({"text": text} if text and kind == "keyDown" else {}))

    def resize(self, width, height, scale=1):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def picture(self, path):
        """A screenshot, as a PNG file."""
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.command("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.answers)
        self.folder.cleanup()
