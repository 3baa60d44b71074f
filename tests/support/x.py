"""What a window manager would do, over Xlib: there is none under Xvfb.

    x.py close PID      asks the window of a process to close, as its close button does
    x.py focus          prints the process whose window has the focus, or 0
    x.py unfocus        takes the focus from every window
    x.py keys           presses the keys that its input names, one a line, as the keyboard would
    x.py place PID      prints where the window of a process is and how large: X Y WIDTH HEIGHT
    x.py put PID X Y WIDTH HEIGHT  moves it there
    x.py colors PID     prints what the window of a process shows, from its first picture on, as often as it changes: the
                        color in its middle and the one of the page's first link, RED GREEN BLUE RED GREEN BLUE
"""

import sys
import time
from ctypes import CDLL, POINTER, Structure, Union, byref, c_int, c_long, c_ubyte, c_uint, c_ulong, c_void_p, cast

x = CDLL("libX11.so.6")
x.XOpenDisplay.restype = c_void_p
x.XGetImage.restype = c_void_p
x.XGetPixel.restype = c_ulong
x.XDefaultRootWindow.restype = c_ulong
x.XInternAtom.restype = c_ulong
x.XStringToKeysym.restype = c_ulong
x.XKeysymToKeycode.restype = c_ubyte
x.XkbKeycodeToKeysym.restype = c_ulong
display = c_void_p(x.XOpenDisplay(None))
root = x.XDefaultRootWindow(display)
SHIFT = 0xFFE1
# Within the page's first link, beside its word.
LINK = (90, 69)


class ClientMessage(Structure):
    _fields_ = [
        ("type", c_int),
        ("serial", c_ulong),
        ("send_event", c_int),
        ("display", c_void_p),
        ("window", c_ulong),
        ("message_type", c_ulong),
        ("format", c_int),
        ("data", c_long * 5),
    ]


class Event(Union):
    _fields_ = [("client", ClientMessage), ("pad", c_long * 24)]


def atom(name):
    return x.XInternAtom(display, name.encode(), 0)


def longs(window, name):
    """A property that is a list of 32-bit values."""
    kind, form, count, left, data = c_ulong(), c_int(), c_ulong(), c_ulong(), POINTER(c_ubyte)()
    x.XGetWindowProperty(
        display, c_ulong(window), c_ulong(atom(name)), c_long(0), c_long(32), 0, c_ulong(0),
        byref(kind), byref(form), byref(count), byref(left), byref(data),
    )
    if form.value != 32:
        return []
    return list(cast(data, POINTER(c_ulong))[: count.value])


def children(window):
    top, parent, found, count = c_ulong(), c_ulong(), POINTER(c_ulong)(), c_uint()
    x.XQueryTree(display, c_ulong(window), byref(top), byref(parent), byref(found), byref(count))
    return found[: count.value] if count.value else []


def windows(window=root):
    for child in children(window):
        yield child
        yield from windows(child)


def closable(pid):
    delete = atom("WM_DELETE_WINDOW")
    for window in windows():
        if longs(window, "_NET_WM_PID") == [pid] and delete in longs(window, "WM_PROTOCOLS"):
            yield window


def close(pid):
    for window in closable(pid):
        event = Event()
        parts = (c_long * 5)(atom("WM_DELETE_WINDOW"), 0)
        event.client = ClientMessage(33, 0, 1, display, window, atom("WM_PROTOCOLS"), 32, parts)
        x.XSendEvent(display, c_ulong(window), 0, c_long(0), byref(event))


def place(pid):
    # Its toolkit has small windows of its own.
    found = []
    for window in closable(pid):
        top, left, upper, width, height, rest = c_ulong(), c_int(), c_int(), c_uint(), c_uint(), c_uint()
        x.XGetGeometry(
            display, c_ulong(window), byref(top), byref(left), byref(upper), byref(width), byref(height),
            byref(rest), byref(rest),
        )
        found.append((left.value, upper.value, width.value, height.value))
    return max(found, key=lambda place: place[2] * place[3], default=())


def put(pid, left, upper, width, height):
    for window in closable(pid):
        x.XMoveResizeWindow(display, c_ulong(window), left, upper, c_uint(width), c_uint(height))


def color(left, upper):
    """Of a screen of 24 bits."""
    every = c_ulong(0xFFFFFFFF)
    image = c_void_p(x.XGetImage(display, c_ulong(root), left, upper, c_uint(1), c_uint(1), every, 2))
    pixel = x.XGetPixel(image, 0, 0)
    x.XDestroyImage(image)
    return pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255


def colors(pid):
    while not (found := place(pid)):
        time.sleep(0.002)
    left, upper, width, height = found
    before = None
    while True:
        now = (*color(left + width // 2, upper + height // 2), *color(left + LINK[0], upper + LINK[1]))
        if now != before:
            print(*now, flush=True)
        before = now
        time.sleep(0.002)


def focused():
    window, revert = c_ulong(), c_int()
    x.XGetInputFocus(display, byref(window), byref(revert))
    while window.value not in (0, 1, root):
        pid = longs(window.value, "_NET_WM_PID")
        if pid:
            return pid[0]
        top, parent, found, count = c_ulong(), c_ulong(), POINTER(c_ulong)(), c_uint()
        x.XQueryTree(display, window, byref(top), byref(parent), byref(found), byref(count))
        window = parent
    return 0


def press(key):
    symbol = x.XStringToKeysym(key.encode())
    code = x.XKeysymToKeycode(display, c_ulong(symbol))
    if code == 0:
        sys.exit(f"no key makes {key!r}")
    shifted = x.XkbKeycodeToKeysym(display, code, 0, 0) != symbol
    shift = [x.XKeysymToKeycode(display, c_ulong(SHIFT))] if shifted else []
    keyboard = CDLL("libXtst.so.6")
    for down, codes in ((1, [*shift, code]), (0, [code, *shift])):
        for each in codes:
            keyboard.XTestFakeKeyEvent(display, each, down, c_ulong(0))
    x.XFlush(display)


match sys.argv[1:]:
    case ["close", pid]:
        close(int(pid))
    case ["focus"]:
        print(focused())
    case ["place", pid]:
        print(*place(int(pid)))
    case ["put", pid, *where]:
        put(int(pid), *map(int, where))
    case ["colors", pid]:
        colors(int(pid))
    case ["unfocus"]:
        x.XSetInputFocus(display, c_ulong(0), 0, c_ulong(0))
    case ["keys"]:
        for line in sys.stdin:
            press(line.strip())
x.XSync(display, 0)
