import{fieldParts as d,h as l,joinParts as g,repeatsInput as y,resolveUnit as h,smallButton as c}from"./form.js";import{copy as S}from"./shell.js";var j=300,$=3,a=(e,t)=>JSON.stringify(e,t,2),w=e=>`'${e.replaceAll("'","'\\''")}'`;function k(e,t){return typeof e=="boolean"?e?"yes":"no":g(d(t,e))}function O(e,t){let s=r=>r.replaceAll("|","\\|").replaceAll(`
`," "),n=r=>["number","string","boolean"].includes(typeof r)&&r!=="";return e.filter(r=>n(t[r.name])).map(r=>`| ${r.label} | ${s(k(t[r.name],h(r,t)))} |`)}function C(e,t,s){let n=JSON.parse(t),r=location.href.replaceAll("(","%28").replaceAll(")","%29"),p=e.output.filter(o=>!y(e,o,s,n));return[`**[${e.title}](${r})**`,"","| Input | Value |","|---|---|",...O(e.input,n),"","| Result | Value |","|---|---|",...O(p,s),...(s.warnings??[]).map(o=>`
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
console.log(result);`,x=(e,t,s)=>`package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strings"
)

func main() {
	body := ${t.includes("`")?JSON.stringify(s):`\`${t}\``}
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
}`;function J(e){let t=`${location.origin}/mcp?tools=${e.category}`;return{"MCP config":a({mcpServers:{slipstick:{type:"http",url:t}}}),"VS Code":a({servers:{slipstick:{type:"http",url:t}}}),"mcp-remote":a({mcpServers:{slipstick:{command:"npx",args:["mcp-remote",t]}}})}}var A=(e,t)=>a({jsonrpc:"2.0",id:1,method:"tools/call",params:{name:e.name,arguments:JSON.parse(t)}}),P=(e,t)=>Array.isArray(t)&&t.length>j?[...t.slice(0,$),`… ${t.length} in all`]:t;function q(e,t,s){let n=a(JSON.parse(t)),r=`${location.origin}/api/${e.name}`;return{curl:`curl -s ${r} \\
  --json ${w(t)}`,Python:N(r,n),TypeScript:b(r,n),Go:x(r,n,t),...J(e),"MCP call":A(e,t),"JSON request":n,...s&&{Markdown:C(e,t,s.result),"JSON response":a(s,P)}}}function L(e,t,s,n){let r=q(t,s,n),p=l("pre",{tabindex:0}),o=c("Copy",()=>S(p.textContent,o)),u=i=>{e.dataset.kind=i,p.textContent=r[i];for(let m of f.children)m.setAttribute("aria-pressed",String(m.textContent===i))},f=l("div",{class:"picker",role:"group","aria-label":"Form of the request"},Object.keys(r).map(i=>c(i,()=>u(i))));u(e.dataset.kind in r?e.dataset.kind:"curl"),e.replaceChildren(f,l("div",{class:"snippet"},o,p))}export{L as drawSnippets,w as shellWord};
