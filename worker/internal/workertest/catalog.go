package workertest

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"slipstick/tools"
)

// Input is the input of every test tool. Trace names a file to which each run appends one byte, so
// runs in other processes can be counted.
type Input struct {
	N     int    `json:"n" default:"0" doc:"a number to tell jobs apart"`
	MS    int    `json:"ms" default:"0" doc:"duration"`
	Trace string `json:"trace" default:"" doc:"file that counts the runs"`
	How   string `json:"how" default:"" doc:"way to crash"`
	Times int    `json:"times" default:"1000" doc:"runs that crash"`
}

// Output is the result of every test tool.
type Output struct {
	N    int    `json:"n" doc:"the number"`
	Text string `json:"text" doc:"filler"`
	tools.Warnings
}

// count appends a byte to the trace file and returns the number of the run.
func (i Input) count() int {
	if i.Trace == "" {
		return 1
	}
	f, err := os.OpenFile(i.Trace, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if _, err := f.Write([]byte("x")); err != nil {
		panic(err)
	}
	st, err := f.Stat()
	if err != nil {
		panic(err)
	}
	return int(st.Size())
}

// Tool returns a queued tool of the pool "test".
func Tool(name string, timeout time.Duration,
	f func(context.Context, Input) (Output, error)) *tools.Tool {
	return tools.Define(tools.Spec{
		Name: name, Title: name, Summary: name, Method: name, Sources: []string{"test"},
		Examples: []tools.Example{{In: "{}"}}, Heavy: &tools.Heavy{Pool: "test", Timeout: timeout},
	}, f)
}

// Noise returns text of the given number of bytes, which compresses to half its size. The text
// depends on the seed.
func Noise(bytes, seed int) string {
	random := rand.New(rand.NewPCG(1, uint64(seed)))
	b := make([]byte, bytes/2)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return hex.EncodeToString(b)
}

// Catalog returns the test tools.
func Catalog() *tools.Catalog {
	c, err := tools.NewCatalog([]tools.Category{{Name: "test", Title: "Test", Tools: []*tools.Tool{
		Tool("echo", 10*time.Second, func(_ context.Context, i Input) (Output, error) {
			i.count()
			fmt.Println("a stray print must not disturb the frames")
			return Output{N: i.N}, nil
		}),
		Tool("noop", 10*time.Second,
			func(_ context.Context, i Input) (Output, error) { return Output{N: i.N}, nil }),
		Tool("sleep", 60*time.Second, func(ctx context.Context, i Input) (Output, error) {
			i.count()
			select {
			case <-time.After(time.Duration(i.MS) * time.Millisecond):
				return Output{N: i.N}, nil
			case <-ctx.Done():
				return Output{}, ctx.Err()
			}
		}),
		Tool("anytime", 60*time.Second, func(ctx context.Context, i Input) (Output, error) {
			if i.count() > 1 {
				return Output{N: i.N}, nil
			}
			select {
			case <-tools.StopSignal(ctx):
				return Output{N: -i.N}, nil
			case <-ctx.Done():
				return Output{}, ctx.Err()
			}
		}),
		Tool("tired", 300*time.Millisecond, func(ctx context.Context, i Input) (Output, error) {
			i.count()
			<-ctx.Done()
			return Output{}, ctx.Err()
		}),
		Tool("spin", 700*time.Millisecond, func(_ context.Context, i Input) (Output, error) {
			i.count()
			for n := 0; ; n++ {
				if n == -1 {
					return Output{}, nil
				}
			}
		}),
		Tool("crash", 30*time.Second, func(_ context.Context, i Input) (Output, error) {
			if i.count() > i.Times {
				return Output{N: i.N}, nil
			}
			switch i.How {
			case "exit":
				os.Exit(3)
			case "memory":
				for kept := [][]byte{}; ; {
					b := make([]byte, 64<<20)
					for k := 0; k < len(b); k += 4096 {
						b[k] = 1
					}
					kept = append(kept, b)
				}
			}
			panic("as asked")
		}),
		Tool("defect", 10*time.Second,
			func(context.Context, Input) (Output, error) {
				return Output{}, fmt.Errorf("internal detail")
			}),
		Tool("refuse", 10*time.Second, func(_ context.Context, i Input) (Output, error) {
			i.count()
			return Output{}, tools.Invalid("n", "must be a better number")
		}),
		Tool("big", 10*time.Second, func(_ context.Context, i Input) (Output, error) {
			return Output{N: i.N, Text: strings.Repeat("0123456789abcdef", i.N/16)}, nil
		}),
		Tool("noise", 10*time.Second, func(_ context.Context, i Input) (Output, error) {
			i.count()
			return Output{N: i.N, Text: Noise(i.N, i.Times)}, nil
		}),
		Tool("steps", 30*time.Second, func(ctx context.Context, i Input) (Output, error) {
			for k := range i.N {
				tools.Report(ctx,
					tools.Progress{Phase: "step", Percent: 100 * float64(k) / float64(i.N)})
				time.Sleep(time.Duration(i.MS) * time.Millisecond)
			}
			return Output{N: i.N}, nil
		}),
	}}}, nil)
	if err != nil {
		panic(err)
	}
	return c
}

// ChildMain is the main function of an unconfined child process, whose tools may write files. run
// is pool.RunChild. ChildMain returns the exit status.
func ChildMain(
	run func(ctx context.Context, c *tools.Catalog, in io.Reader, out io.Writer) error,
) int {
	out := os.Stdout
	os.Stdout = os.Stderr
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	if err := run(context.Background(), Catalog(), os.Stdin, out); err != nil {
		return 2
	}
	return 0
}
