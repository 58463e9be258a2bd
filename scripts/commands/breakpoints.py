# SPDX-License-Identifier: Apache-2.0
"""The breakpoints of a session of tessera debug: what the user asked for, as requests of the Debug Adapter Protocol."""
from commands.dap import Refused

# Kinds of breakpoints that are sent together, and their requests. Those at lines are sent by file.
REQUESTS = {"functions": "setFunctionBreakpoints", "instructions": "setInstructionBreakpoints", "data": "setDataBreakpoints"}


class Breakpoints:
    """A run that begins again gets them again, so each is kept as it is sent; keys that begin with _ are our own."""

    def __init__(self):
        self.lines = {}  # file -> its breakpoints
        self.kinds = {kind: [] for kind in REQUESTS}
        self.last = 0  # number; one that is refused takes none

    def groups(self):
        return [*self.lines.values(), *self.kinds.values()]

    def named(self, number):
        """Each with its group; an empty number: all of them."""
        return [(group, b) for group in self.groups() for b in group if not number or str(b.get("_id")) == number]

    def send_all(self, client):
        for group in self.groups():
            if group:
                self.send(client, group)

    def send(self, client, group):
        """A group as it is now."""
        # The number is ours, so that it stays when a run begins again.
        given = [{"tessera/id": b["_id"], **{key: value for key, value in b.items() if not key.startswith("_")}} for b in group]
        file = next((file for file, members in self.lines.items() if members is group), None)
        if file is not None:
            answer = client.request("setBreakpoints", source={"path": file}, breakpoints=given)
        else:
            kind = next(kind for kind, members in self.kinds.items() if members is group)
            answer = client.request(REQUESTS[kind], breakpoints=given)
        for mine, theirs in zip(group, answer["breakpoints"]):
            mine["_answer"] = theirs

    def add(self, client, group, b):
        """Answers what the debugger says of it. Throws Refused if it cannot be set."""
        b["_id"] = self.last + 1
        group.append(b)
        try:
            self.send(client, group)
        except Refused:
            group.remove(b)
            raise
        if not b["_answer"]["verified"]:
            self.remove(client, group, b)
            raise Refused(b["_answer"].get("message", "it cannot be set"))
        self.last = b["_id"]
        return b["_answer"]

    def remove(self, client, group, b):
        group.remove(b)
        self.send(client, group)

    def remove_temporary(self, client, hit):
        for group in self.groups():
            for b in [b for b in group if b.get("_once") and b.get("_id") in hit]:
                self.remove(client, group, b)
