public enum Networks {}
