package listener

import (
	"bufio"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

// browserRequest has the headers that browsers send.
const browserRequest = "POST /api/sum HTTP/1.1\r\nHost: calc.example.com\r\n" +
	"User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n" +
	"Accept: */*\r\nAccept-Language: de,en-US;q=0.7,en;q=0.3\r\n" +
	"Accept-Encoding: gzip, deflate, br, zstd\r\n" +
	"Referer: https://calc.example.com/t/sum\r\nContent-Type: application/json\r\n" +
	"Content-Length: 15\r\nOrigin: https://calc.example.com\r\n" +
	"Sec-Fetch-Site: same-origin\r\n\r\n{\"numbers\":[1]}"

// BenchmarkFramingCheck measures CheckFraming alone.
func BenchmarkFramingCheck(b *testing.B) {
	var h fasthttp.RequestHeader
	if err := h.Read(bufio.NewReader(strings.NewReader(browserRequest))); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := CheckFraming(&h); err != nil {
			b.Fatal(err)
		}
	}
}
