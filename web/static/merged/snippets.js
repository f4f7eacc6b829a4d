import{h as l,smallButton as d}from"./form.js";import{joinParts as g,fieldParts as y,resolveUnit as h}from"./form.js";import{repeatsInput as S}from"./form.js";import{copy as O}from"./shell.js";var j=300,$=3,a=(e,t)=>JSON.stringify(e,t,2),w=e=>`'${e.replaceAll("'","'\\''")}'`;function k(e,t){return typeof e=="boolean"?e?"yes":"no":g(y(t,e))}function m(e,t){let r=s=>s.replaceAll("|","\\|").replaceAll(`
`," "),n=s=>["number","string","boolean"].includes(typeof s)&&s!=="";return e.filter(s=>n(t[s.name])).map(s=>`| ${s.label} | ${r(k(t[s.name],h(s,t)))} |`)}function C(e,t,r){let n=JSON.parse(t),s=location.href.replaceAll("(","%28").replaceAll(")","%29"),p=e.output.filter(o=>!S(e,o,r,n));return[`**[${e.title}](${s})**`,"","| Input | Value |","|---|---|",...m(e.input,n),"","| Result | Value |","|---|---|",...m(p,r),...(r.warnings??[]).map(o=>`
> ${o}`),""].join(`
`)}var N=(e,t)=>`import json, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(e)},
    data=json.dumps(json.loads(r"""${t.replaceAll('"""','\\"\\"\\"')}""")).encode(),
    headers={"Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    result = json.load(response)["result"]
print(result)`,b=(e,t)=>`const response = await fetch(${JSON.stringify(e)}, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(${t.replaceAll(`
`,`
  `)}),
});
if (!response.ok) throw new Error((await response.json()).title);
const { result } = await response.json();
console.log(result);`,J=(e,t,r)=>`package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strings"
)

func main() {
	body := ${t.includes("`")?JSON.stringify(r):`\`${t}\``}
	resp, err := http.Post(${JSON.stringify(e)}, "application/json", strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	var response struct {
		Title  string          \`json:"title"\` // of a problem
		Result json.RawMessage \`json:"result"\`
	}
	if err := json.NewDecoder(resp.Body).Decode(&response); err != nil {
		log.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		log.Fatal(response.Title)
	}
	fmt.Println(string(response.Result))
}`;function x(e){let t=`${location.origin}/mcp?tools=${e.category}`;return{"MCP config":a({mcpServers:{slipstick:{type:"http",url:t}}}),"VS Code":a({servers:{slipstick:{type:"http",url:t}}}),"mcp-remote":a({mcpServers:{slipstick:{command:"npx",args:["mcp-remote",t]}}})}}var A=(e,t)=>a({jsonrpc:"2.0",id:1,method:"tools/call",params:{name:e.name,arguments:JSON.parse(t)}}),q=(e,t)=>Array.isArray(t)&&t.length>j?[...t.slice(0,$),`… ${t.length} in all`]:t;function P(e,t,r){let n=a(JSON.parse(t)),s=`${location.origin}/api/${e.name}`;return{curl:`curl -s ${s} \\
  --json ${w(t)}`,Python:N(s,n),TypeScript:b(s,n),Go:J(s,n,t),...x(e),"MCP call":A(e,t),"JSON request":n,...r&&{Markdown:C(e,t,r.result),"JSON response":a(r,q)}}}function M(e,t,r,n){let s=P(t,r,n),p=l("pre",{tabindex:0}),o=d("Copy",()=>O(p.textContent,o)),c=i=>{e.dataset.kind=i,p.textContent=s[i];for(let f of u.children)f.setAttribute("aria-pressed",String(f.textContent===i))},u=l("div",{class:"picker",role:"group","aria-label":"Form of the request"},Object.keys(s).map(i=>d(i,()=>c(i))));c(e.dataset.kind in s?e.dataset.kind:"curl"),e.replaceChildren(u,l("div",{class:"snippet"},o,p))}export{M as drawSnippets,w as shellWord};
