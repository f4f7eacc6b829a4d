import{show as d}from"./form.js";import{copy as b}from"./shell.js";var f=e=>`'${e.replaceAll("'","'\\''")}'`;function y(e,o,a){let c=(t,n)=>(typeof t=="number"?d(t,n.unit??""):typeof t=="boolean"?t?"yes":"no":String(t)).replaceAll("|","\\|").replaceAll(`
`," "),r=(t,n,l)=>t.filter(s=>["number","string","boolean"].includes(typeof n[s.name])&&n[s.name]!=="").map(s=>`| ${s.label}${l} | ${c(n[s.name],s)} |`),p=JSON.parse(o);return[`**[${e.title}](${location.href})**`,"","| Quantity | Value |","|---|---|",...r(e.input,p," (given)"),...r(e.output.filter(t=>!(t.name in p)),a,""),...(a.warnings??[]).map(t=>`
> ${t}`),""].join(`
`)}function g(e,o,a){let c=JSON.stringify(JSON.parse(o),null,2),r=`${location.origin}/api/${e.name}`;return{curl:`curl -s ${r} \\
  --json ${f(o)}`,Python:`import json, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(r)},
    data=json.dumps(json.loads(r"""${c.replaceAll('"""','\\"\\"\\"')}""")).encode(),
    headers={"Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as answer:
    result = json.load(answer)["result"]
print(result)`,MCP:JSON.stringify({jsonrpc:"2.0",id:1,method:"tools/call",params:{name:e.name,arguments:JSON.parse(o)}},null,2),"JSON request":c,...a?{Markdown:y(e,o,a.result),"JSON answer":JSON.stringify(a,(p,t)=>Array.isArray(t)&&t.length>300?[...t.slice(0,3),`… ${t.length} in all`]:t,2)}:{}}}function N(e,o,a,c){let r=g(o,a,c),p=e.dataset.kind in r?e.dataset.kind:"curl",t=document.createElement("div");t.className="picker",t.setAttribute("role","group"),t.setAttribute("aria-label","Form of the request");let n=document.createElement("pre");n.tabIndex=0;let l=document.createElement("button");l.type="button",l.className="small",l.textContent="Copy",l.addEventListener("click",()=>b(n.textContent,l));let s=u=>{e.dataset.kind=u,n.textContent=r[u];for(let i of t.children)i.setAttribute("aria-pressed",String(i.textContent===u))};for(let u of Object.keys(r)){let i=document.createElement("button");i.type="button",i.className="small",i.textContent=u,i.addEventListener("click",()=>s(u)),t.append(i)}let m=document.createElement("div");m.className="snippet",m.append(l,n),s(p),e.replaceChildren(t,m)}export{N as drawSnippets,f as shellWord};
