import{el as c,smallButton as d}from"./form.js";import{joinParts as g,fieldParts as w,resolveUnit as y}from"./form.js";import{repeatsInput as h}from"./form.js";import{copy as S}from"./shell.js";var O=300,j=3,a=(e,t)=>JSON.stringify(e,t,2),$=e=>`'${e.replaceAll("'","'\\''")}'`;function k(e,t){return typeof e=="boolean"?e?"yes":"no":g(w(t,e))}function m(e,t){let n=r=>r.replaceAll("|","\\|").replaceAll(`
`," "),s=r=>["number","string","boolean"].includes(typeof r)&&r!=="";return e.filter(r=>s(t[r.name])).map(r=>`| ${r.label} | ${n(k(t[r.name],y(r,t)))} |`)}function C(e,t,n){let s=JSON.parse(t),r=location.href.replaceAll("(","%28").replaceAll(")","%29"),l=e.output.filter(o=>!h(e,o,n,s));return[`**[${e.title}](${r})**`,"","| Input | Value |","|---|---|",...m(e.input,s),"","| Result | Value |","|---|---|",...m(l,n),...(n.warnings??[]).map(o=>`
> ${o}`),""].join(`
`)}var N=(e,t)=>`import json, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(e)},
    data=json.dumps(json.loads(r"""${t.replaceAll('"""','\\"\\"\\"')}""")).encode(),
    headers={"Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as answer:
    result = json.load(answer)["result"]
print(result)`,b=(e,t)=>`const answer = await fetch(${JSON.stringify(e)}, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(${t.replaceAll(`
`,`
  `)}),
});
if (!answer.ok) throw new Error((await answer.json()).title);
const { result } = await answer.json();
console.log(result);`,J=(e,t,n)=>`package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strings"
)

func main() {
	body := ${t.includes("`")?JSON.stringify(n):`\`${t}\``}
	resp, err := http.Post(${JSON.stringify(e)}, "application/json", strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Title  string          \`json:"title"\` // of a problem
		Result json.RawMessage \`json:"result"\`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		log.Fatal(answer.Title)
	}
	fmt.Println(string(answer.Result))
}`;function x(e){let t=`${location.origin}/mcp?tools=${e.category}`;return{"MCP config":a({mcpServers:{slipstick:{type:"http",url:t}}}),"VS Code":a({servers:{slipstick:{type:"http",url:t}}}),"mcp-remote":a({mcpServers:{slipstick:{command:"npx",args:["mcp-remote",t]}}})}}var A=(e,t)=>a({jsonrpc:"2.0",id:1,method:"tools/call",params:{name:e.name,arguments:JSON.parse(t)}}),q=(e,t)=>Array.isArray(t)&&t.length>O?[...t.slice(0,j),`… ${t.length} in all`]:t;function P(e,t,n){let s=a(JSON.parse(t)),r=`${location.origin}/api/${e.name}`;return{curl:`curl -s ${r} \\
  --json ${$(t)}`,Python:N(r,s),TypeScript:b(r,s),Go:J(r,s,t),...x(e),"MCP call":A(e,t),"JSON request":s,...n&&{Markdown:C(e,t,n.result),"JSON answer":a(n,q)}}}function M(e,t,n,s){let r=P(t,n,s),l=c("pre",{tabindex:0}),o=d("Copy",()=>S(l.textContent,o)),p=i=>{e.dataset.kind=i,l.textContent=r[i];for(let f of u.children)f.setAttribute("aria-pressed",String(f.textContent===i))},u=c("div",{class:"picker",role:"group","aria-label":"Form of the request"},Object.keys(r).map(i=>d(i,()=>p(i))));p(e.dataset.kind in r?e.dataset.kind:"curl"),e.replaceChildren(u,c("div",{class:"snippet"},o,l))}export{M as drawSnippets,$ as shellWord};
