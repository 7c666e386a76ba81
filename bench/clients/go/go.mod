module bench

go 1.19

require github.com/holdfast/holdfast/packages/go/holdfast v0.0.0

replace github.com/holdfast/holdfast/packages/go/holdfast => ../../../packages/go/holdfast
