import{partsOf as d,withUnit as b}from"./form.js";import{copy as f}from"./shell.js";var $=n=>`'${n.replaceAll("'","'\\''")}'`;function y(n,o,a){let c=t=>t.unit?`${t.number} ${t.unit}`:t.number,i=(t,r)=>(typeof t=="boolean"?t?"yes":"no":c(d(r,t))).replaceAll("|","\\|").replaceAll(`
`," "),p=(t,r,m)=>t.filter(s=>["number","string","boolean"].includes(typeof r[s.name])&&r[s.name]!=="").map(s=>`| ${s.label}${m} | ${i(r[s.name],b(s,r))} |`),e=JSON.parse(o);return[`**[${n.title}](${location.href})**`,"","| Quantity | Value |","|---|---|",...p(n.input,e," (given)"),...p(n.output.filter(t=>!(t.name in e)),a,""),...(a.warnings??[]).map(t=>`
> ${t}`),""].join(`
`)}function h(n,o,a){let c=JSON.stringify(JSON.parse(o),null,2),i=`${location.origin}/api/${n.name}`;return{curl:`curl -s ${i} \\
  --json ${$(o)}`,Python:`import json, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(i)},
    data=json.dumps(json.loads(r"""${c.replaceAll('"""','\\"\\"\\"')}""")).encode(),
    headers={"Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as answer:
    result = json.load(answer)["result"]
print(result)`,MCP:JSON.stringify({jsonrpc:"2.0",id:1,method:"tools/call",params:{name:n.name,arguments:JSON.parse(o)}},null,2),"JSON request":c,...a?{Markdown:y(n,o,a.result),"JSON answer":JSON.stringify(a,(p,e)=>Array.isArray(e)&&e.length>300?[...e.slice(0,3),`… ${e.length} in all`]:e,2)}:{}}}function k(n,o,a,c){let i=h(o,a,c),p=n.dataset.kind in i?n.dataset.kind:"curl",e=document.createElement("div");e.className="picker",e.setAttribute("role","group"),e.setAttribute("aria-label","Form of the request");let t=document.createElement("pre");t.tabIndex=0;let r=document.createElement("button");r.type="button",r.className="small",r.textContent="Copy",r.addEventListener("click",()=>f(t.textContent,r));let m=u=>{n.dataset.kind=u,t.textContent=i[u];for(let l of e.children)l.setAttribute("aria-pressed",String(l.textContent===u))};for(let u of Object.keys(i)){let l=document.createElement("button");l.type="button",l.className="small",l.textContent=u,l.addEventListener("click",()=>m(u)),e.append(l)}let s=document.createElement("div");s.className="snippet",s.append(r,t),m(p),n.replaceChildren(e,s)}export{k as drawSnippets,$ as shellWord};
