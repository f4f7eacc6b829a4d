package openapi

import (
	"strconv"

	"slipstick/keys"
)

// keyPaths returns the paths of API keys.
func (b *builder) keyPaths() map[string]object {
	bearer := []object{{"JWT": []string{}}}
	prefix := object{"$ref": "#/components/parameters/KeyPrefix"}
	responses := func(status, description, component string, problems ...string) object {
		r := problemRefs(problems...)
		r[status] = b.example(description, component)
		return r
	}

	issue := operation("issue_key", "keys", "Issue a key",
		"Without an Authorization header: a free key, valid for 24 hours and 5,000 calls per day; an address gets 5 of them per hour. With a JWT: a paid key of the token's tier, valid for 30 days, unlimited and metered, owned by the token's subject, who may have "+strconv.Itoa(keys.MaxActiveKeys)+" active ones.",
		responses("201", "The key, which is not shown again", "IssuedKey", "400", "401", "409",
			"413", "415", "429", "503"))
	issue["security"] = []object{{}, {"JWT": []string{}}}
	issue["parameters"] = []any{idempotencyRef()}
	issue["requestBody"] = object{
		"required": false, "content": content("application/json", ref("KeyRequest")),
	}

	keyList := responses("200", "The keys", "KeyList", "400", "401", "503")
	keyList["200"].(object)["headers"] = object{
		"Link": header("rel=next: the next page; absent on the last one", "string")}
	list := operation("list_keys", "keys", "Active keys",
		"The active keys that the JWT's subject owns, newest first; with the claim admin all keys. Pages follow the header Link.", keyList)
	list["security"] = bearer
	list["parameters"] = []any{
		query("limit", "How many keys at most",
			object{"type": "integer", "minimum": 1, "maximum": b.MaxKeys, "default": b.MaxKeys}),
		query("after", "Only keys that follow the one with this prefix", object{"type": "string"}),
	}

	revoke := operation("revoke_key", "keys", "Revoke a key",
		"The key is invalid from now on; other instances of the service reject it within 5 s.",
		responses("200", "It is revoked", "RevokedKey", "401", "404", "503"))
	revoke["security"], revoke["parameters"] = bearer, []any{prefix}

	usage := operation("key_usage", "keys", "Usage of a key",
		"Calls and computing time by day and tool. The key may be revoked or expired.",
		responses("200", "The days and tools with calls", "KeyUsage", "400", "401", "404", "503"))
	usage["security"] = bearer
	date := object{"type": "string", "format": "date"}
	usage["parameters"] = []any{
		prefix, query("from", "First day, UTC; 29 days before the last one when absent", date),
		query("to", "Last day, UTC; today when absent", date),
	}

	return map[string]object{
		"/api/keys":                {"post": issue, "get": list},
		"/api/keys/{prefix}":       {"delete": revoke},
		"/api/keys/{prefix}/usage": {"get": usage},
	}
}

func keyPrefixParameter() object {
	return pathParameter("prefix", "The first 12 characters of the key",
		object{"type": "string", "pattern": "^sl_[0-9a-f]{9}$"}, "sl_012345678")
}

// securitySchemes returns the security schemes for the API key and the JWT.
func securitySchemes(keyHeader string) object {
	return object{
		"ApiKey": object{"type": "apiKey", "in": "header", "name": keyHeader,
			"description": "Optional: raises the daily call limit"},
		"JWT": object{"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
			"description": "For the management of keys only"},
	}
}
