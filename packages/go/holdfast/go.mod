module github.com/holdfast/holdfast/packages/go/holdfast

go 1.19
