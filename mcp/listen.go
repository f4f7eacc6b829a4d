package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/internal/rawjson"
	"slipstick/worker"
)

// Bounds of subscriptions.
const (
	maxSubscribed = 16 // jobs of one stream
	updateEvery   = time.Second
)

func (x *Call) isListen() bool {
	return x.ready == nil && x.stateless && x.message.name == methodListen && x.message.isRequest()
}

// subscribes reports whether a method is one of the subscriptions of versions with sessions.
func (s *Server) subscribes(method string) bool {
	return method == string(protocol.MethodResourcesSubscribe) ||
		method == string(protocol.MethodResourcesUnsubscribe)
}

// listen answers subscriptions/listen for jobs: a notification when the state of a job or its
// progress changes, at most one per updateEvery and job, and the last one when it is finished. The
// stream ends with the last job, and needs a transport with notifications.
func (x *Call) listen(ctx context.Context) []byte {
	var params struct {
		Notifications protocol.SubscriptionFilter `json:"notifications"`
	}
	if json.Unmarshal(x.message.params, &params) != nil {
		return rpcError{
			Code: protocol.INVALID_PARAMS, Message: "params.notifications must be an object",
		}.encode(x.message.id)
	}
	if x.notify == nil {
		return rpcError{
			Code:    protocol.INVALID_REQUEST,
			Message: "subscriptions/listen needs a stream: send Accept: application/json, text/event-stream",
		}.encode(x.message.id)
	}
	asked := params.Notifications.ResourceSubscriptions
	if len(asked) > maxSubscribed {
		return rpcError{Code: protocol.INVALID_PARAMS, Message: fmt.Sprintf(
			"resourceSubscriptions: must have at most %d addresses, has %d", maxSubscribed,
			len(asked))}.encode(x.message.id)
	}
	accepted := protocol.SubscriptionFilter{}
	for _, uri := range asked {
		id, _, _ := strings.Cut(strings.TrimPrefix(uri, jobScheme), "?")
		known := strings.HasPrefix(uri, jobScheme) && isJobID(id) && x.server.opt.Queue != nil
		if !known || slices.Contains(accepted.ResourceSubscriptions, uri) {
			continue
		}
		if _, err := x.server.opt.Queue.Get(ctx, id, ""); err == nil {
			accepted.ResourceSubscriptions = append(accepted.ResourceSubscriptions, uri)
		}
	}
	x.send(protocol.MethodNotificationSubscriptionsAcknowledged,
		map[string]any{"notifications": accepted})
	var watching sync.WaitGroup
	for _, uri := range accepted.ResourceSubscriptions {
		watching.Go(func() { x.watchResource(ctx, uri) })
	}
	watching.Wait()
	meta := fmt.Sprintf(`"_meta":{%q:%s,`, protocol.MetaKeySubscriptionID, x.message.id)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{%s}}`, x.message.id,
		strings.Replace(x.server.members[1:], `"_meta":{`, meta, 1))
}

// watchResource sends a notification for each change of a job until it is finished or ctx ends.
func (x *Call) watchResource(ctx context.Context, uri string) {
	id, _, _ := strings.Cut(strings.TrimPrefix(uri, jobScheme), "?")
	var last worker.State
	var sent time.Time
	update := func(j worker.Job) {
		if j.State == last && time.Since(sent) < updateEvery {
			return
		}
		last, sent = j.State, time.Now()
		x.send(protocol.MethodNotificationResourceUpdated, map[string]any{"uri": uri})
	}
	// an error ends the watch, as the end of the job does
	_ = x.server.opt.Queue.Watch(ctx, id, update)
	if job, err := x.server.opt.Queue.Get(ctx, id, ""); err == nil && job.State != last {
		update(job)
	}
}

// send sends a notification of a subscription. It is safe for concurrent use.
func (x *Call) send(method string, params map[string]any) {
	params["_meta"] = map[string]any{protocol.MetaKeySubscriptionID: x.message.id}
	body, err := rawjson.Marshal(
		map[string]any{"jsonrpc": protocol.JSONRPC_VERSION, "method": method, "params": params},
	)
	if err != nil {
		return
	}
	x.sending.Lock()
	defer x.sending.Unlock()
	x.notify(body)
}
