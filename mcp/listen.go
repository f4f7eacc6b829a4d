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

// Limits of subscriptions.
const (
	maxSubscribed = 16 // maximum number of jobs per stream
	updateEvery   = time.Second
)

func (x *Call) isListen() bool {
	return x.ready == nil && x.stateless && x.message.name == methodListen && x.message.isRequest()
}

// subscribes reports whether method is one of the subscription methods of protocol versions with
// sessions.
func (s *Server) subscribes(method string) bool {
	return method == string(protocol.MethodResourcesSubscribe) ||
		method == string(protocol.MethodResourcesUnsubscribe)
}

// listen handles subscriptions/listen for jobs. It sends a notification for each state change of a
// job, and for its progress at most one per updateEvery. The stream ends when the last job has
// finished. Without a stream for notifications, listen returns an error.
func (x *Call) listen(ctx context.Context) []byte {
	var params struct {
		Notifications jobFilter `json:"notifications"`
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
	asked, tasks := params.Notifications.ResourceSubscriptions, params.Notifications.TaskIDs
	if len(tasks) > 0 && !x.tasks {
		return tasksRequired().encode(x.message.id)
	}
	if len(asked)+len(tasks) > maxSubscribed {
		return rpcError{Code: protocol.INVALID_PARAMS, Message: fmt.Sprintf(
			"resourceSubscriptions and taskIds: must have at most %d entries, have %d",
			maxSubscribed, len(asked)+len(tasks))}.encode(x.message.id)
	}
	var accepted jobFilter
	for _, uri := range asked {
		id, _, _ := strings.Cut(strings.TrimPrefix(uri, jobScheme), "?")
		if strings.HasPrefix(uri, jobScheme) && x.isJob(ctx, id) &&
			!slices.Contains(accepted.ResourceSubscriptions, uri) {
			accepted.ResourceSubscriptions = append(accepted.ResourceSubscriptions, uri)
		}
	}
	for _, id := range tasks {
		if x.isJob(ctx, id) && !slices.Contains(accepted.TaskIDs, id) {
			accepted.TaskIDs = append(accepted.TaskIDs, id)
		}
	}
	x.send(protocol.MethodNotificationSubscriptionsAcknowledged,
		map[string]any{"notifications": accepted})
	var watching sync.WaitGroup
	for _, uri := range accepted.ResourceSubscriptions {
		watching.Go(func() {
			defer x.recoverPanic()
			x.watchResource(ctx, uri)
		})
	}
	for _, id := range accepted.TaskIDs {
		watching.Go(func() {
			defer x.recoverPanic()
			x.watchTask(ctx, id)
		})
	}
	watching.Wait()
	meta := fmt.Sprintf(`"_meta":{%q:%s,`, protocol.MetaKeySubscriptionID, x.message.id)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{%s}}`, x.message.id,
		strings.Replace(x.server.members[1:], `"_meta":{`, meta, 1))
}

// jobFilter selects the jobs of a subscription by resource URI or by task id.
type jobFilter struct {
	ResourceSubscriptions []string `json:"resourceSubscriptions,omitempty"`
	TaskIDs               []string `json:"taskIds,omitempty"`
}

// isJob reports whether a job with the given id exists.
func (x *Call) isJob(ctx context.Context, id string) bool {
	if !isJobID(id) || x.server.opt.Queue == nil {
		return false
	}
	_, err := x.server.opt.Queue.Get(ctx, id, "")
	return err == nil
}

// watchResource sends a notification for each change of a job until it is finished or ctx ends.
func (x *Call) watchResource(ctx context.Context, uri string) {
	id, _, _ := strings.Cut(strings.TrimPrefix(uri, jobScheme), "?")
	x.watchJob(ctx, id, func(worker.Job) {
		x.send(protocol.MethodNotificationResourceUpdated, map[string]any{"uri": uri})
	})
}

// watchJob calls update for each state change of a job, and for its progress at most once per
// updateEvery. It returns when the job is finished or ctx ends.
func (x *Call) watchJob(ctx context.Context, id string, update func(worker.Job)) {
	var last worker.State
	var sent time.Time
	changed := func(j worker.Job) {
		if j.State == last && time.Since(sent) < updateEvery {
			return
		}
		last, sent = j.State, time.Now()
		update(j)
	}
	// An error ends the watch in the same way as the end of the job.
	_ = x.server.opt.Queue.Watch(ctx, id, changed)
	if job, err := x.server.opt.Queue.Get(ctx, id, ""); err == nil && job.State != last {
		changed(job)
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
