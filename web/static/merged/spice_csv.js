function f(t,p){let s=Object.keys(t[0].step??{}),e=[p,...Object.keys(t[0].vectors).filter(o=>o!==p).sort()].filter(Boolean),r=t.flatMap(({vectors:o,step:a})=>o[e[0]].map((m,c)=>[...s.map(n=>a[n]),...e.map(n=>o[n]?.[c]??"")].join(",")));return[[...s,...e].map(o=>`"${o}"`).join(","),...r].join(`
`)}export{f as vectorsToCSV};
