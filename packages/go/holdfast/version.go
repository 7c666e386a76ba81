package holdfast

// Version of this module.
const Version = "0.1.0"
