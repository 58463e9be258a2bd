# SPDX-License-Identifier: Apache-2.0
"""The prompt of tessera debug and tessera attach: commands of the user as requests of the Debug Adapter Protocol."""
import cmd
import contextlib
import os

from commands.breakpoints import Breakpoints
from commands.dap import Gone, Refused

HELP = """The run is held before its first cycle.
  break WHERE [pe=(X,Y)] [if CONDITION]   stop at pe.csl:73, 73, a function, "task reduce" or *PC; tbreak: once
  watch EXPRESSION [pe=(X,Y)] [if ..]     stop when the value has changed; len(in2) >= 4: when it becomes true
  log WHERE TEXT                          print TEXT, with values for {names}, instead of a stop
  delete [N], ignore N COUNT, info breakpoints, hits
  run, continue (c), until CYCLE, goto CYCLE, back [N], kill
  step (s), next (n), finish, stepi (si), nexttask, stepc [N]   of the PE in focus; stepc: cycles of the machine
  pe X,Y, where (bt), frame N, up, down, list (l), disas, why [X,Y]
  print y[0..8] (p), x/8f &y, set y[0] = 1
  info locals|globals|regs|dsr|queues|tasks|routes|waits|line
  AI cores: core X,Y, core=(X,Y); info locals|tiles|arrays|pipes|flags|regs
  meshes: node X,Y, node=(X,Y); info task|arrays|queues
  quit (q)"""


PLACES = (" pe=", " core=", " node=", " if ")
MOST_PROGRAMS, CODE_AT_A_TIME = 64, 512


def nothing_more(command, text):
    if text:
        raise Refused(f"{command} takes nothing more: '{text}'")


def count_in(command, text):
    """How often; once if nothing is said."""
    if text and (not text.isdecimal() or int(text) < 1):
        raise Refused(f"expected such as {command} 10")
    return int(text or 1)


class Prompt(cmd.Cmd):
    """A session: the commands of the user as requests."""
    prompt = "(tessera) "

    def __init__(self, make, shows=print, attached=False):
        super().__init__()
        self.make = make            # () -> a Client
        self.attached = attached    # the run belongs to somebody else: `quit` leaves it running
        self.shows = shows
        self.breakpoints = Breakpoints()
        self.place = None           # thread in focus
        self.held, self.over, self.failed = False, False, False
        self.exit_code = None
        self.hits = None            # of a run that is over: its breakpoints with their hits
        self.begin()

    # The session

    def begin(self):
        self.hits = None
        self.client = self.make()
        self.held, self.over = False, False
        self.client.request("initialize", clientID="tessera", adapterID="tessera", linesStartAt1=True)
        self.client.wait_for("initialized")
        self.client.request("launch", stopOnEntry=True)
        self.breakpoints.send_all(self.client)
        self.client.request("configurationDone")
        self.wait(quiet=True)

    def wait(self, quiet=False):
        """Until the run is held again, or over."""
        while True:
            try:
                event = self.client.event()
            except KeyboardInterrupt:
                self.client.send("pause", {"threadId": 1})
                continue
            except Gone:
                self.end()
                return
            body = event.get("body", {})
            if event["event"] == "output":
                self.shows(body["output"].rstrip("\n"))
            elif event["event"] == "exited":
                self.exit_code = body["exitCode"]
            elif event["event"] == "terminated":
                with contextlib.suppress(Gone, Refused):
                    self.hits = self.ask("info breakpoints")
                self.shows(f"the run is over, exit code {self.exit_code}")
                self.end()
                return
            elif event["event"] == "stopped":
                self.held = True
                self.place = body["threadId"]
                self.breakpoints.remove_temporary(self.client, body.get("hitBreakpointIds", []))
                if not quiet or body.get("hitBreakpointIds"):
                    self.shows(body["text"])
                if not quiet:
                    self.show_place()
                return

    def end(self):
        if self.over:
            return
        self.over, self.held = True, False
        try:
            self.client.request("disconnect")
        except Gone:
            pass
        code = self.client.close()
        if code is not None:
            self.exit_code = code

    def ask(self, text):
        """A command that the debugger answers itself."""
        answer = self.client.request("evaluate", expression=text, context="repl")
        return answer["result"]

    def show_place(self):
        self.shows(self.ask("pe"))

    def go(self, request, **arguments):
        if not self.held:
            raise Refused("the run is over; 'run' begins again" if self.over else "the run is not held")
        self.client.request(request, **arguments)
        self.held = False
        self.wait()

    def step(self, request, **arguments):
        self.go(request, threadId=self.focus(), **arguments)

    def focus(self):
        """The thread of the PE in focus."""
        return self.place

    # Breakpoints

    def take(self, text, rest_is_text=False):
        """WHERE, and what is said of it."""
        begins = [text.find(word) for word in PLACES if word in text]
        if not begins or rest_is_text:
            return text.strip(), ""
        return text[:min(begins)].strip(), text[min(begins):].strip()

    def add(self, where, condition, **more):
        """`more`: of the protocol, or our own."""
        b = dict(more)
        if condition:
            b["condition"] = condition
        if where.startswith("*"):
            b["instructionReference"] = self.code_reference(where[1:])
            group = self.breakpoints.kinds["instructions"]
        elif where.isdecimal() or (":" in where and where.rpartition(":")[2].isdecimal()):
            file, _, line = where.rpartition(":")
            b["line"] = int(line)
            group = self.breakpoints.lines.setdefault(file or self.present_file(), [])
        else:
            b["name"] = where
            group = self.breakpoints.kinds["functions"]
        answer = self.breakpoints.add(self.client, group, b)
        at = f"{answer['source']['name']}:{answer['line']}" if "line" in answer else where
        self.shows(f"breakpoint {b['_id']} at {at}")

    def frame(self):
        frames = self.client.request("stackTrace", threadId=self.focus(), levels=1)["stackFrames"]
        return frames[0] if frames else {}

    def present_file(self):
        source = self.frame().get("source", {})
        if "path" in source:
            return source["path"]
        files = self.files()
        if len(files) == 1:  # nothing runs yet, and there is no other
            return files[0]
        names = sorted({os.path.basename(file) for file in files})
        raise Refused("there is no source here" + (f"; name it, as in {names[0]}:73; files: {', '.join(names)}" if names else ""))

    def files(self):
        """The files that the code of the program comes from, without those of the library."""
        found, program, begin = [], 0, 0
        while program < MOST_PROGRAMS:
            try:
                answer = self.client.request("disassemble", memoryReference=hex(program << 32 | 4 * begin), instructionCount=CODE_AT_A_TIME)
            except Refused:
                break
            instructions = answer["instructions"]
            found += [i["location"]["path"] for i in instructions if "path" in i.get("location", {})]
            is_over = not instructions or instructions[-1].get("presentationHint") == "invalid"
            program, begin = (program + 1, 0) if is_over else (program, begin + len(instructions))
        return list(dict.fromkeys(found))

    def code_reference(self, text):
        here = int(self.frame().get("instructionPointerReference", "0"), 0)
        return hex((here >> 32 << 32) | 4 * int(text, 0))

    def do_break(self, text, once=False):
        """break WHERE [pe=(X,Y)] [if CONDITION]"""
        if not text:
            self.do_info("breakpoints")
            return
        self.add(*self.take(text), _once=once)

    def do_tbreak(self, text):
        """As break; the breakpoint goes when it is hit."""
        self.do_break(text, once=True)

    def do_log(self, text):
        """log WHERE TEXT with {values}"""
        where, _, message = text.partition(" ")
        self.add(where, "", logMessage=message.strip().strip('"'))

    def do_watch(self, text):
        """watch EXPRESSION [pe=(X,Y)] [if CONDITION]"""
        expression, more = self.take(text)
        if not expression:
            raise Refused("what is to be watched?")
        places, condition = more, ""
        if " if " in " " + more:
            places, _, condition = (" " + more).partition(" if ")
        places = places.strip() or "pe=" + self.ask("pe").partition("(")[2].partition(")")[0].replace(" ", "")
        b = {"dataId": f"{places} if {expression}", "accessType": "write"}
        if condition.strip():
            b["condition"] = condition.strip()
        self.breakpoints.add(self.client, self.breakpoints.kinds["data"], b)
        self.shows(f"watch {b['_id']}: {expression}")

    def do_delete(self, text):
        """delete [N]: breakpoint N, or all of them"""
        found = self.breakpoints.named(text)
        if text and not found:
            raise Refused(f"there is no breakpoint {text}")
        for group, b in found:
            self.breakpoints.remove(self.client, group, b)

    def do_ignore(self, text):
        """ignore N COUNT: breakpoint N stops from hit number COUNT + 1 on"""
        words = text.split()
        found = self.breakpoints.named(words[0]) if words else []
        if len(words) != 2 or not words[1].isdecimal() or not found:
            raise Refused("expected such as ignore 1 10")
        group, b = found[0]
        b["hitCondition"] = ">" + words[1]
        self.breakpoints.send(self.client, group)
        self.shows(f"breakpoint {b['_id']} stops from its hit {int(words[1]) + 1} on")

    # The run

    def do_run(self, text):
        """From the beginning, or on if it is held there."""
        nothing_more("run", text)
        if not self.over and self.present_cycle() is None:
            self.go("continue", threadId=self.focus())
            return
        self.restart()
        self.go("continue", threadId=self.focus())

    def restart(self):
        if self.attached:
            raise Refused("a run that was attached to cannot be begun again")
        if not self.over:
            self.stop(wants_report=False)
        self.begin()

    def stop(self, wants_report=True):
        """Ends the run. Nobody wants the report of one that begins again."""
        process = getattr(self.client, "process", None)
        if process is not None and not wants_report:
            process.kill()
        else:
            with contextlib.suppress(Gone):
                self.client.request("disconnect", terminateDebuggee=not self.attached)
        self.client.close()
        self.over, self.held = True, False

    def do_continue(self, text):
        """Until something stops the run."""
        nothing_more("continue", text)
        self.go("continue", threadId=self.focus())

    def do_until(self, text):
        """until CYCLE"""
        if not text.isdecimal():
            raise Refused("expected such as until 500")
        self.go("tessera/until", cycle=int(text))

    def present_cycle(self):
        digits = self.ask("pe").partition("\n")[0].partition("cycle ")[2]
        return int(digits.partition(":")[0]) if digits else None

    def do_goto(self, text):
        """goto CYCLE: an earlier one by running again"""
        if not text.isdecimal():
            raise Refused("expected such as goto 480")
        self.go_to(int(text))

    def go_to(self, cycle):
        now = None if self.over else self.present_cycle()
        if self.over or (now is not None and cycle <= now):
            focus = None if self.over else self.ask("pe").partition("(")[2].partition(")")[0]
            kept, self.breakpoints = self.breakpoints, Breakpoints()
            self.restart()
            self.go_quietly(cycle)
            self.breakpoints = kept
            if not self.over:
                self.breakpoints.send_all(self.client)
            if focus and not self.over:
                self.choose(focus)
        else:
            self.go_quietly(cycle)
        if self.held:
            self.show_place()

    def go_quietly(self, cycle):
        self.client.request("tessera/until", cycle=cycle)
        self.held = False
        self.wait(quiet=True)

    def do_back(self, text):
        """back [N]: so many cycles, by running again"""
        now = self.present_cycle()
        if now is None:
            raise Refused("the run has not begun")
        self.go_to(max(now - count_in("back", text), 0))

    def do_step(self, text):
        """To another line, also of a function that is called"""
        nothing_more("step", text)
        self.step("stepIn")

    def do_next(self, text):
        """To another line of this function"""
        nothing_more("next", text)
        self.step("next")

    def do_finish(self, text):
        """To the end of the function or task"""
        nothing_more("finish", text)
        self.step("stepOut")

    def do_stepi(self, text):
        """stepi [N]: instructions"""
        for _ in range(count_in("stepi", text)):
            if not self.held:
                break
            self.step("next", granularity="instruction")

    def do_nexttask(self, text):
        """To the next task of the PE"""
        nothing_more("nexttask", text)
        self.step("next", granularity="task")

    def do_stepc(self, text):
        """stepc [N]: cycles of the machine"""
        for _ in range(count_in("stepc", text)):
            if not self.held:
                break
            self.step("next", granularity="cycle")

    def do_kill(self, text):
        """Ends the run"""
        if not self.over:
            self.attached = False
            self.stop()

    # What is there

    def choose(self, text):
        answer = self.ask("pe " + text)
        threads = self.client.request("threads")["threads"]
        name = answer.partition(")")[0] + ")"
        self.place = next((t["id"] for t in threads if t["name"].startswith(name)), self.place)
        return answer

    def do_pe(self, text):
        """pe [X,Y]: the PE in focus"""
        self.shows(self.choose(text) if text else self.ask("pe"))

    do_core = do_node = do_pe

    def default(self, line):
        if line == "EOF":
            return self.do_quit("")
        self.shows(self.ask(line))
        return False

    def do_info(self, text):
        """info locals|globals|regs|dsr|queues|tasks|routes|waits|line|breakpoints"""
        if self.over and self.hits is not None and text.strip() in ("breakpoints", "break"):
            self.shows(self.hits)
            return
        self.shows(self.ask("info " + text))

    def do_print(self, text):
        """print EXPRESSION"""
        self.shows(self.ask("print " + text))

    def do_help(self, arg):
        self.shows(HELP)

    def do_quit(self, text):
        """Ends the run and the session"""
        if not self.over:
            self.stop()
        return True

    # The shell around it

    short = {"b": "break", "c": "continue", "r": "run", "n": "next", "s": "step", "si": "stepi", "fin": "finish", "d": "delete", "q": "quit",
             "h": "help", "?": "help", "p": "print", "i": "info", "tb": "tbreak"}

    def onecmd(self, line):
        line = line.strip()
        if not line or line.startswith("#"):
            return self.emptyline() if not line else False
        word, _, rest = line.partition(" ")
        name = self.short.get(word, word)
        if name == "x" or word.startswith("x/"):
            name, rest = line, ""
        try:
            return super().onecmd(f"{name} {rest}".strip())
        except (Refused, Gone, ValueError) as error:
            self.failed = True
            self.shows(f"error: {error}")
            if isinstance(error, Gone):
                self.end()
            return False

    def emptyline(self):
        return False

    def completenames(self, text, *ignored):
        return [name[3:] for name in self.get_names() if name.startswith("do_" + text)]

    def completedefault(self, text, line, begin, end):
        try:
            targets = self.client.request("completions", text=text, column=len(text) + 1)["targets"]
        except (Refused, Gone):
            return []
        return [target["label"] for target in targets]
