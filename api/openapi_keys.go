package api

import (
	"strconv"

	"slipstick/keys"
)

// keyPaths returns the paths of API keys.
func keyPaths() map[string]map[string]any {
	bearer := []map[string]any{{"JWT": []string{}}}
	prefix := map[string]any{"$ref": "#/components/parameters/KeyPrefix"}

	issue := operation("issue_key", "keys", "Issue a key",
		"Without an Authorization header: a free key, good for 24 hours and 5,000 calls a day; an address gets 5 of them an hour. With a JWT: a paid key of the token's tier, good for 30 days, unlimited and metered, owned by the token's subject, who may have "+strconv.Itoa(keys.MaxActiveKeys)+" active ones.",
		keyResponses("201", "The key, which is not shown again", ref("IssuedKey"), exampleKey, "400", "401", "409", "413", "415", "429", "503"))
	issue["security"] = []map[string]any{{}, {"JWT": []string{}}}
	issue["requestBody"] = map[string]any{"required": false, "content": content("application/json", ref("KeyRequest"))}

	list := operation("list_keys", "keys", "Active keys",
		"The active keys that the JWT's subject owns, newest first; with the claim admin all keys. Pages follow the header Link.",
		keyResponses("200", "The keys", ref("KeyList"), exampleKeyList, "400", "401", "503"))
	list["security"] = bearer
	list["parameters"] = []any{
		query("limit", "How many keys at most", map[string]any{"type": "integer", "minimum": 1, "maximum": keysOnPage, "default": keysOnPage}),
		query("after", "Only keys that follow the one with this prefix", map[string]any{"type": "string"}),
	}
	list["responses"].(map[string]any)["200"].(map[string]any)["headers"] = map[string]any{"Link": header("rel=next: the next page; absent on the last one", "string")}

	revoke := operation("revoke_key", "keys", "Revoke a key",
		"The key is refused from now on; by other instances of the service at most 5 s later.",
		keyResponses("200", "It is revoked", ref("RevokedKey"), RevokedKey{exampleRecord.KeyPrefix, exampleTime}, "401", "404", "503"))
	revoke["security"], revoke["parameters"] = bearer, []any{prefix}

	usage := operation("key_usage", "keys", "What a key used",
		"Calls and computing time by day and tool. The key may be revoked or expired.",
		keyResponses("200", "The days and tools with calls", ref("KeyUsage"), exampleUsage, "400", "401", "404", "503"))
	usage["security"] = bearer
	date := map[string]any{"type": "string", "format": "date"}
	usage["parameters"] = []any{prefix, query("from", "First day, UTC; 29 days before the last one when absent", date), query("to", "Last day, UTC; today when absent", date)}

	return map[string]map[string]any{
		"/api/keys":                {"post": issue, "get": list},
		"/api/keys/{prefix}":       {"delete": revoke},
		"/api/keys/{prefix}/usage": {"get": usage},
	}
}

var (
	exampleKey = IssuedKey{
		Key: "sl_0123456789abcdef0123456789abcdef01234567", Tier: "free", RateLimit: "5,000 calls per day", ExpiresIn: "24 hours",
		Usage: "Send it in the header X-Api-Key. It is not shown again; its first 12 characters, sl_012345678, name it.",
	}
	exampleRecord  = KeyRecord{KeyPrefix: "sl_012345678", Tier: "developer", CreatedAt: exampleTime, ExpiresAt: exampleTime.AddDate(0, 0, 30), RequestCount: 42, LastUsedAt: &exampleTime}
	exampleKeyList = KeyList{Keys: []KeyRecord{exampleRecord}, Count: 1}
	exampleUsage   = KeyUsage{
		KeyPrefix: exampleRecord.KeyPrefix, From: "2026-01-01", To: "2026-01-30", Calls: 42,
		Usage: []ToolDay{{Day: "2026-01-01", Tool: "fspl", Calls: 42, Computed: 40, Invalid: 2, ComputeMS: 3.5}},
	}
)

func keyResponses(status, description string, schema map[string]any, example any, problems ...string) map[string]any {
	responses := problemRefs(problems...)
	ok := answer(description, schema)
	ok["content"].(map[string]any)["application/json"].(map[string]any)["example"] = example
	responses[status] = ok
	return responses
}

func query(name, description string, schema map[string]any) map[string]any {
	return map[string]any{"name": name, "in": "query", "description": description, "schema": schema}
}

func keyPrefixParameter() map[string]any {
	return map[string]any{
		"name": "prefix", "in": "path", "required": true, "description": "The first 12 characters of the key",
		"schema": map[string]any{"type": "string", "pattern": "^sl_[0-9a-f]{9}$"}, "example": exampleRecord.KeyPrefix,
	}
}

// securitySchemes returns the API key and the JWT.
func securitySchemes() map[string]any {
	return map[string]any{
		"ApiKey": map[string]any{"type": "apiKey", "in": "header", "name": headerKey, "description": "Optional: raises the daily call limit"},
		"JWT":    map[string]any{"type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": "For the management of keys only"},
	}
}
