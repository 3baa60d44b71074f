"""What a window manager would do, over Xlib: there is none under Xvfb.

    x.py close PID      asks the window of a process to close, as its close button does
    x.py focus          prints the process whose window has the focus, or 0
    x.py unfocus        takes the focus from every window
"""

import sys
from ctypes import CDLL, POINTER, Structure, Union, byref, c_int, c_long, c_ubyte, c_uint, c_ulong, c_void_p, cast

x = CDLL("libX11.so.6")
x.XOpenDisplay.restype = c_void_p
x.XDefaultRootWindow.restype = c_ulong
x.XInternAtom.restype = c_ulong
display = c_void_p(x.XOpenDisplay(None))
root = x.XDefaultRootWindow(display)


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


def close(pid):
    delete = atom("WM_DELETE_WINDOW")
    for window in windows():
        if longs(window, "_NET_WM_PID") == [pid] and delete in longs(window, "WM_PROTOCOLS"):
            event = Event()
            event.client = ClientMessage(33, 0, 1, display, window, atom("WM_PROTOCOLS"), 32, (c_long * 5)(delete, 0))
            x.XSendEvent(display, c_ulong(window), 0, c_long(0), byref(event))


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


match sys.argv[1:]:
    case ["close", pid]:
        close(int(pid))
    case ["focus"]:
        print(focused())
    case ["unfocus"]:
        x.XSetInputFocus(display, c_ulong(0), 0, c_ulong(0))
x.XSync(display, 0)
