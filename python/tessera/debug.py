# SPDX-License-Identifier: Apache-2.0
"""The debugger of a machine: requests of the Debug Adapter Protocol (docs/debugger.md)."""

import json
from typing import Any, Callable

from .errors import Error


class Breakpoint:
    """A place in the program that holds the machine."""

    def __init__(self, debugger: "Debugger", group: str, given: dict[str, Any]):
        self._debugger, self._group, self._given = debugger, group, given
        self._answer: dict[str, Any] = {}

    @property
    def number(self) -> int:
        """As in the texts of stops."""
        return self._answer["id"]

    @property
    def where(self) -> str:
        """The line that has it: the next one with code."""
        source = self._answer.get("source", {}).get("name", "")
        return f"{source}:{self._answer['line']}" if "line" in self._answer else source

    @property
    def hits(self) -> int:
        """How often it was met, its condition held."""
        self._debugger.send(self._group)
        return self._answer["hits"]

    def delete(self) -> None:
        """It holds the machine no longer."""
        group = self._debugger.breakpoints[self._group]
        if self in group:
            group.remove(self)
            self._debugger.send(self._group)


class Debugger:
    """The session of one machine."""

    def __init__(self, call: Callable[[bytes], bytes]):
        self._call = call
        self._sequence = 0
        self.breakpoints: dict[str, list[Breakpoint]] = {}
        self.stop = ""
        self.thread = 1
        self.log: list[str] = []
        """What breakpoints with a text have printed."""
        self.request("initialize", linesStartAt1=True)

    def request(self, command: str, **arguments: Any) -> dict[str, Any]:
        """The body of the response."""
        self._sequence += 1
        asked = {"seq": self._sequence, "type": "request", "command": command, "arguments": arguments}
        response: dict[str, Any] = {}
        for message in json.loads(self._call(json.dumps(asked).encode())):
            if message["type"] == "response":
                response = message
            elif message["event"] == "stopped":
                self.stop, self.thread = message["body"]["text"], message["body"]["threadId"]
            elif message["event"] == "output":
                self.log.append(message["body"]["output"].rstrip("\n"))
        if not response["success"]:
            raise Error(2, response["message"])
        return response["body"]

    def look(self) -> bool:
        """Whether the machine has come to a stop since the last request."""
        self.stop = ""
        self.request("threads")
        return bool(self.stop)

    def ask(self, text: str) -> str:
        """The answer to a command of the prompt: "print y[0..8]", "info regs", "where", "pe 3,0", "why"."""
        return self.request("evaluate", expression=text, context="repl")["result"]

    def break_at(self, where: str, pe: str | tuple[int, ...] = "", when: str = "", hits: int | str = "") -> Breakpoint:
        """See Machine.break_at."""
        places = pe if isinstance(pe, str) else "(" + ",".join(str(n) for n in pe) + ")"
        condition = " ".join([f"pe={places}"] * bool(places) + [f"if {when}"] * bool(when))
        given: dict[str, Any] = {"condition": condition} if condition else {}
        if hits != "":
            given["hitCondition"] = str(hits)
        file, _, line = where.rpartition(":")
        if where.startswith("*"):
            group = "instructions"
            frame = self.request("stackTrace", threadId=self.thread)["stackFrames"][0]  # of the program in focus
            here = int(frame.get("instructionPointerReference", "0"), 0)
            given["instructionReference"] = hex(here >> 32 << 32 | 4 * int(where[1:], 0))
        elif file and line.isdigit():
            group = f"source {file}"
            given["line"] = int(line)
        else:
            group = "functions"
            given["name"] = where
        added = Breakpoint(self, group, given)
        self.breakpoints.setdefault(group, []).append(added)
        try:
            self.send(group)
            if not added._answer["verified"]:
                raise Error(2, added._answer.get("message", f"there is no code at {where}"))
        except Error:
            added.delete()
            raise
        return added

    def send(self, group: str) -> None:
        """Tells the machine the breakpoints of a group, and takes what it knows of them."""
        members = self.breakpoints[group]
        given = [member._given for member in members]
        if group.startswith("source "):
            answer = self.request("setBreakpoints", source={"path": group.removeprefix("source ")}, breakpoints=given)
        else:
            name = {"functions": "setFunctionBreakpoints", "instructions": "setInstructionBreakpoints"}[group]
            answer = self.request(name, breakpoints=given)
        for member, found in zip(members, answer["breakpoints"]):
            member._answer = found
