import{partsOf as d,withUnit as f}from"./form.js";import{repeats as g}from"./form.js";import{copy as y}from"./shell.js";var w=n=>`'${n.replaceAll("'","'\\''")}'`;function h(n,r,s){let o=t=>t.unit?`${t.number} ${t.unit}`:t.number,a=(t,l)=>(typeof t=="boolean"?t?"yes":"no":o(d(l,t))).replaceAll("|","\\|").replaceAll(`
`," "),m=(t,l)=>t.filter(i=>["number","string","boolean"].includes(typeof l[i.name])&&l[i.name]!=="").map(i=>`| ${i.label} | ${a(l[i.name],f(i,l))} |`),e=JSON.parse(r),p=location.href.replaceAll("(","%28").replaceAll(")","%29");return[`**[${n.title}](${p})**`,"","| Input | Value |","|---|---|",...m(n.input,e),"","| Result | Value |","|---|---|",...m(n.output.filter(t=>!g(n,t,s,e)),s),...(s.warnings??[]).map(t=>`
> ${t}`),""].join(`
`)}function b(n){let r=`${location.origin}/mcp?tools=${n.category}`,s=o=>JSON.stringify(o,null,2);return{"MCP config":s({mcpServers:{slipstick:{type:"http",url:r}}}),"VS Code":s({servers:{slipstick:{type:"http",url:r}}}),"mcp-remote":s({mcpServers:{slipstick:{command:"npx",args:["mcp-remote",r]}}})}}function S(n,r,s){let o=JSON.stringify(JSON.parse(r),null,2),a=`${location.origin}/api/${n.name}`;return{curl:`curl -s ${a} \\
  --json ${w(r)}`,Python:`import json, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(a)},
    data=json.dumps(json.loads(r"""${o.replaceAll('"""','\\"\\"\\"')}""")).encode(),
    headers={"Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as answer:
    result = json.load(answer)["result"]
print(result)`,TypeScript:`const answer = await fetch(${JSON.stringify(a)}, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(${o.replaceAll(`
`,`
  `)}),
});
if (!answer.ok) throw new Error((await answer.json()).title);
const { result } = await answer.json();
console.log(result);`,Go:`package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strings"
)

func main() {
	body := ${o.includes("`")?JSON.stringify(r):`\`${o}\``}
	resp, err := http.Post(${JSON.stringify(a)}, "application/json", strings.NewReader(body))
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
}`,...b(n),"MCP call":JSON.stringify({jsonrpc:"2.0",id:1,method:"tools/call",params:{name:n.name,arguments:JSON.parse(r)}},null,2),"JSON request":o,...s?{Markdown:h(n,r,s.result),"JSON answer":JSON.stringify(s,(m,e)=>Array.isArray(e)&&e.length>300?[...e.slice(0,3),`… ${e.length} in all`]:e,2)}:{}}}function O(n,r,s,o){let a=S(r,s,o),m=n.dataset.kind in a?n.dataset.kind:"curl",e=document.createElement("div");e.className="picker",e.setAttribute("role","group"),e.setAttribute("aria-label","Form of the request");let p=document.createElement("pre");p.tabIndex=0;let t=document.createElement("button");t.type="button",t.className="small",t.textContent="Copy",t.addEventListener("click",()=>y(p.textContent,t));let l=u=>{n.dataset.kind=u,p.textContent=a[u];for(let c of e.children)c.setAttribute("aria-pressed",String(c.textContent===u))};for(let u of Object.keys(a)){let c=document.createElement("button");c.type="button",c.className="small",c.textContent=u,c.addEventListener("click",()=>l(u)),e.append(c)}let i=document.createElement("div");i.className="snippet",i.append(t,p),l(m),n.replaceChildren(e,i)}export{O as drawSnippets,w as shellWord};
