// What a program needs beside this module to hand in frames and to write a plate.
@_exported public import Codecs
@_exported public import Frames
