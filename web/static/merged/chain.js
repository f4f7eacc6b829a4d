var y,qt,be,N,it,Q,At,B,Ht,pt,lt,ke,M=Symbol.for("pv"),G={},K=[],we=/^m(i|n|o|s|text|space)$/,ft=Array.isArray,mt=K.slice,q=Object.assign;function E(e){e&&e.parentNode&&e.remove()}function Se(e,t,n){var r,a,o,s={},i=arguments.length;for(o in t)o=="key"?r=t[o]:o=="ref"&&typeof e!="function"?a=t[o]:s[o]=t[o];return i>2&&(s.children=i>3?mt.call(arguments,2):n),A(e,s,r,a,null)}function A(e,t,n,r,a){var o={type:e,props:t,key:n,ref:r,__k:null,__:null,__b:0,__e:null,__c:null,constructor:M,__v:a||++qt,__i:-1,__u:0};return!a&&y.vnode&&y.vnode(o),o}function Y(e){return e.children}function V(e,t){this.props=e,this.context=t,this.__g=0}function P(e,t){if(t==null)return e.__&&P(e.__,e.__i+1);for(var n;t<e.__k.length;t++)if((n=e.__k[t])&&n.__e)return n.__e;return typeof e.type!="function"||e.props.__P?null:P(e)}function xe(e){var t,n=e.__v,r=n.__e,a=[],o=[],s=e.__P;s&&((t=q({constructor:M},n)).__v=n.__v+1,y.vnode&&y.vnode(t),$t(s,t,n,e.__n,s.namespaceURI,32&n.__u?[r]:null,a,r||P(n),32&n.__u,o),t.__v=n.__v,t.__.__k[t.__i]=t,Lt(a,t,o),n.__=n.__e=null,t.__e!=r&&Ft(t))}function Ft(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),Ft(e)}function kt(e){(8&e.__g||(e.__g|=8,N.push(e),Q++))&&it==y.debounceRendering||((it=y.debounceRendering)||queueMicrotask)(Mt)}function Mt(){try{for(var e,t=1;N.length;)N.length>t&&N.sort(At),e=N.shift(),t=N.length,8&e.__g&&xe(e)}finally{(Q=N.length)&&(it||queueMicrotask)(Mt)}}function Ut(e,t,n,r,a,o,s,i,_,c,l){var f,$,u,d,h,p,v=r.__k||K,g=t.length;for(_=Ce(n,t,v,_,g),f=0;f<g;f++)(u=n.__k[f])!=null&&($=~u.__i&&v[u.__i]||G,u.__i=f,p=$t(e,u,$,a,o,s,i,_,c,l),d=u.__e,($.ref!=u.ref||8&$.__u)&&($.ref&&ht($.ref,null,u,$),u.ref&&l.push(u.ref,u.__c||d,u)),h=h||d,4&u.__u?(_=Wt(u,_,e,!$.__v),$.__e&&($.__e=null)):typeof u.type=="function"&&p!==void 0?_=p:d&&(_=d.nextSibling),u.__u&=-21);return n.__e=h,_}function Ce(e,t,n,r,a){var o,s,i,_,c,l,f,$,u,d=n.length,h=d,p=0,v=0,g=e.__k=Array(a);for(o=0;o<a;o++)(s=t[o])!=null&&typeof s!="boolean"&&typeof s!="function"?(typeof s!="object"||s.constructor===String?s=g[o]=A(null,s):ft(s)?s=g[o]=A(Y,{children:s}):s.constructor===M&&s.__b?s=g[o]=A(s.type,s.props,s.key,s.ref,s.__v):g[o]=s,_=o+p,s.__=e,s.__b=e.__b+1,i=null,~(c=s.__i=Te(s,n,_,h))&&(h--,(i=n[c])&&(i.__u|=2)),i&&i.__v?(s.__u|=16,c==_-1?p--:c==_+1?p++:c!=_&&(c>_?p--:p++,v=1)):(~c||(a>d?p--:a<d&&p++),typeof s.type!="function"&&(s.__u|=4))):g[o]=null;if(v){for(l=[],f=[],o=0;o<a;o++)if((s=g[o])&&16&s.__u){for(p=0,$=l.length;p<$;)l[u=p+$>>1]<s.__i?p=u+1:$=u;l[p]=s.__i,f[o]=p+1}for(p=l.length;o--;)f[o]&&(f[o]==p?p--:g[o].__u|=4)}if(h)for(o=0;o<d;o++)!(i=n[o])||2&i.__u||(i.__e==r&&(r=P(i)),dt(i,i));return r}function Wt(e,t,n,r){var a,o,s,i;if(typeof e.type=="function"){if(e.props.__P)return t;if(a=e.__k)for(o=0;o<a.length;o++)a[o]&&(a[o].__=e,t=Wt(a[o],t,n,!1));return t}for(t&&!t.parentNode&&(t=P(e))&&!t.parentNode&&(t=null),s=e.__e,i=t;i&&i.nodeType==8;)i=i.nextSibling;for(s!=i&&(!r&&n.moveBefore&&s.parentNode?n.moveBefore(s,t):n.insertBefore(s,t||null)),t=s;(t=t&&t.nextSibling)&&t.nodeType==8&&!t.data.startsWith("$s"););return t}function Te(e,t,n,r){var a,o=e.key,s=e.type,i=t[n],_=i&&!(2&i.__u);if(i===null&&o==null||_&&o==i.key&&s==i.type)return n;if(r>(_?1:0)){for(a=n-1;a>=0;a--)if((i=t[a])&&!(2&i.__u)&&o==i.key&&s==i.type)return a;for(a=n+1;a<t.length;a++)if((i=t[a])&&!(2&i.__u)&&o==i.key&&s==i.type)return a}return-1}function wt(e,t,n){n==null&&(n=""),t[0]=="-"?e.setProperty(t,n):e[t]=n}function J(e,t,n,r,a){var o,s;if(t=="style")if(typeof n=="string")e.style.cssText=n;else{if(typeof r=="string"&&(e.style.cssText=r=""),r)for(t in r)n&&t in n||wt(e.style,t);if(n)for(t in n)r&&n[t]==r[t]||wt(e.style,t,n[t])}else if(t[0]=="o"&&t[1]=="n")typeof n!="function"&&(n=null),typeof r!="function"&&(r=null),(e.__e||(e.__e={}))[t]=n,n&&r||(s=lt[t]||(lt[t]=Ne(t)),(e.__a||(e.__a={}))[t]=pt,o=t!=(t=t.replace(Ht,"$1")),(t=t.slice(2))[0]<"a"&&(t=t.toLowerCase()),n?e.addEventListener(t,s,o):e.removeEventListener(t,s,o));else{if(a=="http://www.w3.org/2000/svg")t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(t!="width"&&t!="height"&&t!="href"&&t!="list"&&t!="form"&&t!="tabIndex"&&t!="download"&&t!="rowSpan"&&t!="colSpan"&&t!="role"&&t!="popover"&&t in e)try{return void(e[t]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&t[4]!="-"?e.removeAttribute(t):e.setAttribute(t,t=="popover"&&n==1?"":n)}}function Ne(e){return function(t){var n=this.__e;if(n){if(n=n[e],t[B]==null)t[B]=pt++;else if(t[B]<this.__a[e])return;return n(y.event?y.event(t):t)}}}function $t(e,t,n,r,a,o,s,i,_,c){var l,f,$,u,d,h,p,v,g,S,b,st,yt,I,R,bt,T,j,C=t.type;if(t.constructor!==M)return null;128&n.__u&&(_=32&n.__u,l=n.__c.__z)&&(t.__u|=_,f=o=[],l.nodeType==8?i=z(l,o):o.push(l),i=o[0]||i),(l=y.__b)&&l(t);t:if(typeof C=="function"){$=s.length;try{if(v=t.props,g=(l=C.prototype)&&l.render,S=(l=C.contextType)&&r[l.__c],b=l?S?S.props.value:l.__:r,(u=n.__c)?(t.__c=u,2&u.__g&&(u.__g|=1)):(g?t.__c=u=new C(v,b):(t.__c=u=new V(v,b),u.constructor=C,u.render=Oe),S&&S.sub(u),u.state||(u.state={}),u.__n=r,u.__g|=8,u.__h=[],u.__k=[]),g&&(u.__s||(u.__s=u.state),C.getDerivedStateFromProps&&(u.__s==u.state&&(u.__s=q({},u.__s)),q(u.__s,C.getDerivedStateFromProps(v,u.__s)))),d=u.props,h=u.state,u.__v=t,n.__c){if(v!==d&&g&&!C.getDerivedStateFromProps&&u.componentWillReceiveProps&&u.componentWillReceiveProps(v,b),t.__v==n.__v&&!(8&u.__g)||!(4&u.__g)&&u.shouldComponentUpdate&&u.shouldComponentUpdate(v,u.__s,b)===!1){t.__v!=n.__v&&(u.props=v,u.state=u.__s,u.__g&=-9),t.__e=n.__e,t.__k=n.__k,t.__k.some(function(x){x&&(x.__=t)}),K.push.apply(u.__h,u.__k),u.__k=[],u.__h.length&&s.push(u),i=P(n);break t}u.componentWillUpdate&&u.componentWillUpdate(v,u.__s,b),g&&u.componentDidUpdate&&u.__h.push(function(){u.componentDidUpdate(d,h,p)})}else g&&!C.getDerivedStateFromProps&&u.componentWillMount&&u.componentWillMount(),g&&u.componentDidMount&&u.__h.push(u.componentDidMount);u.context=b,u.props=v,u.__P=e,u.__g&=-5,st=y.__r,yt=g?25:0;do u.__g&=-9,st&&st(t),l=u.render(u.props,u.state=u.__s,u.context);while(8&u.__g&&++yt<25);g&&(K.push.apply(u.__h,u.__k),u.__k=[]),u.state=u.__s,u.getChildContext&&(r=q({},r,u.getChildContext())),g&&n.__c&&u.getSnapshotBeforeUpdate&&(p=u.getSnapshotBeforeUpdate(d,h)),I=l&&l.type===Y&&l.key==null?l.props.children:l,v.__P&&(l=i,a=(e=v.__P).namespaceURI,_=o=null,n.props&&n.props.__P!=e&&(n.__k.some(function(x){x&&dt(x,x)}),n.__k=null),i=n.__k?P(n,0):null),i=Ut(e,ft(I)?I:[I],t,n,r,a,o,s,i,_,c),v.__P&&(t.__e=null,i=l),t.__u&=-161,f&&f.some(E),u.__h.length&&s.push(u),1&u.__g&&(u.__g&=-4)}catch(x){if(s.length=$,t.__v=null,_||o)if(x&&x.then){if(t.__u|=128|_,o){for(~(T=o.indexOf(i||void 0))||(T=o.length);(j=o[T-1])&&j.nodeType==8;)T--;for(;T<o.length;T++)if(j=o[T])if(o[T]=null,R){if(j==bt)break}else{if(j.nodeType!=8)break;j.data.startsWith("$s")&&(bt=z(R=j))}}if(!R){for(;i&&i.nodeType==8&&i.nextSibling;)i=i.nextSibling;R=i}(l=z(R=t.__c.__z||(t.__c.__z=R)))?(t.__e=R,i=l):t.__e=i,i=i&&i.nextSibling}else o&&o.some(E);else t.__e=n.__e;t.__k||(t.__k=n.__k||[]),x&&x.then||Dt(t),y.__e(x,t,n)}}else i=t.__e=Pe(n.__e,t,n,r,a,o,s,_,c,e);return(l=y.diffed)&&l(t),i}function z(e,t){if(e&&e.nodeType==8&&e.data.startsWith("$s"))for(var n=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))n++;else if(e.data.startsWith("/$s")&&!--n)return e}t&&t.push(e)}}function Dt(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(Dt))}function Lt(e,t,n){for(var r=0;r<n.length;)ht(n[r++],n[r++],n[r++]);y.__c&&y.__c(t,e),e.some(function(a){try{e=a.__h,a.__h=[],e.some(function(o){o.call(a)})}catch(o){y.__e(o,a.__v)}})}function Pe(e,t,n,r,a,o,s,i,_,c){var l,f,$,u,d,h,p,v,g=n.props||G,S=t.props,b=t.type;if(b=="svg"?a="http://www.w3.org/2000/svg":b=="math"?a="http://www.w3.org/1998/Math/MathML":a||(a="http://www.w3.org/1999/xhtml"),o){for(l=0;l<o.length;l++)if((d=o[l])&&(b?d.localName==b:d.nodeType==3)){e=d,o[l]=null;break}}if(!e){if(v=c.ownerDocument||document,!b)return v.createTextNode(S);e=v.createElementNS(a,b,S.is?S:c),i&&(y.__m&&y.__m(t,o),i=!1),o=null}if(b){if(c=b=="template"&&e.content||e,o=b=="textarea"&&S.defaultValue!=null?null:o&&mt.call(c.childNodes),!i&&o)for(g={},l=0;l<e.attributes.length;l++)g[(d=e.attributes[l]).name]=d.value;for(l in g)d=g[l],l=="dangerouslySetInnerHTML"?$=d:l=="children"||l in S||l=="value"&&"defaultValue"in S||l=="checked"&&"defaultChecked"in S||J(e,l,null,d,a);for(l in S)d=S[l],l=="children"?u=d:l=="dangerouslySetInnerHTML"?f=d:l=="value"?h=d:l=="checked"?p=d:i&&typeof d!="function"||g[l]===d||J(e,l,d,g[l],a);f?(i||$&&(f.__html==$.__html||f.__html==e.innerHTML)||(e.innerHTML=f.__html),t.__k=[]):($&&(e.textContent=""),(b=="foreignObject"||a=="http://www.w3.org/1998/Math/MathML"&&we.test(b))&&(a="http://www.w3.org/1999/xhtml"),Ut(c,ft(u)?u:[u],t,n,r,a,o,s,o?o[0]:n.__k&&P(n,0),i,_),o&&o.some(E)),i&&b!="textarea"||(l="value",b=="progress"&&h==null?e.removeAttribute(l):h==null||h===e[l]&&(b!="progress"||h)||J(e,l,h,g[l],a),l="checked",p!=null&&p!=e[l]&&J(e,l,p,g[l],a))}else g===S||i&&e.data==S||(e.data=S);return e}function ht(e,t,n,r){try{typeof e=="function"?t?t.__x=e(t)||1:r&&(r=r.__c||r.__e)&&(t=r.__x)&&(r.__x=null,typeof t=="function"?t():e(null)):e.current=t}catch(a){y.__e(a,n)}}function dt(e,t,n){var r,a,o,s;if(y.unmount&&y.unmount(e),!(r=e.ref)||r.current&&r.current!=e.__e||ht(r,null,t,e),r=e.__c){if(r.componentWillUnmount)try{r.componentWillUnmount()}catch(i){y.__e(i,t)}r.__P=r.__n=null}if(r=e.__k)for(s=0;s<r.length;s++)r[s]&&dt(r[s],t,typeof e.type!="function"||n&&!e.props.__P);!n&&(r=e.__c)&&(r=r.__z)&&(a=z(r,o=[]))&&(r==e.__e&&o.some(E),E(a),E(r)),n||E(e.__e),e.__e=e.__c=e.__=null}function Oe(e,t,n){return this.constructor(e,n)}function It(e,t){var n,r,a,o;y.__&&y.__(e,t),t.nodeType==9&&(t=t.documentElement),r=(n=e&&32&e.__u)?null:t.__k,t.__k=A(Y,{children:[e]}),a=[],o=[],$t(t,t.__k,r||G,G,t.namespaceURI,r?null:t.firstChild?mt.call(t.childNodes):null,a,r?r.__e:t.firstChild,n,o),Lt(a,t.__k,o),t.__k.props.children=null}y={__e:function(e,t,n,r){for(var a,o,s;t=t.__;)if((a=t.__c)&&!(1&a.__g)){a.__g|=4;try{if((s=(o=a.constructor)&&o.getDerivedStateFromError)&&a.setState(o.getDerivedStateFromError(e)),a.componentDidCatch&&(a.componentDidCatch(e,r||{}),s=1),s&&8&a.__g)return void(a.__g|=2)}catch(i){e=i}}throw Q=0,e}},qt=0,be=function(e){return e!=null&&e.constructor===M},V.prototype.setState=function(e,t){var n=this.__s;n&&n!=this.state||(n=this.__s=q({},this.state)),typeof e=="function"&&(e=e(q({},n),this.props)),e&&(q(n,e),this.__v&&(t&&this.__k.push(t),kt(this)))},V.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),kt(this))},V.prototype.render=Y,N=[],Q=0,At=function(e,t){return e.__v.__b-t.__v.__b},B=Symbol(),Ht=/(PointerCapture)$|Capture$/i,pt=0,lt={},ke=0;var F,w,at,St,ut=Object.is,X=0,Jt=[],_t=[],k=y,xt=k.__b,Ct=k.__r,Tt=k.diffed,Nt=k.__c,Pt=k.unmount,Ot=k.__;function vt(e,t){k.__h&&k.__h(w,e,X||t),X=0;var n=w.__H||(w.__H={__:[],__h:[]});return e>=n.__.length&&n.__.push({}),n.__[e]}function O(e){return X=1,Re(Vt,e)}function Re(e,t,n){var r=vt(F++,2);if(r.t=e,!r.__c&&(r.__=[n?n(t):Vt(void 0,t),function(o){var s=(r.__N||r.__)[0],i=r.t(s,o);ut(s,i)||(r.__N=[i,r.__[1]],r.__c.setState({}))}],r.__c=w,!w.__f)){w.__f=!0;var a=w.shouldComponentUpdate;w.shouldComponentUpdate=function(o,s,i){var _=this.__H;if(!_)return!0;var c=!1,l=this.props!=o;if(_.__.some(function($){$.__N&&(c=!0,ut($.__[0],$.__N[0])||(l=!0))}),a){var f=a.call(this,o,s,i);return c?f||l:f}return!c||l}}return r.__}function U(e,t){var n=vt(F++,3);!k.__s&&Bt(n.__H,t)&&(n.__P=!0,n.__=e,n.u=t,w.__H.__h.push(n))}function Z(e){return X=5,je(function(){return{current:e}},[])}function je(e,t){var n=vt(F++,7);return Bt(n.__H,t)&&(n.__=e(),n.__H=t),n.__}function Ee(){var e;do{for(;e=_t.shift();)try{H(e)}catch(n){k.__e(n,{__:(e=e.__P)&&e.__v})}for(;e=Jt.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(H),t.__h.some(ct),t.__h=[]}catch(n){t.__h=[],k.__e(n,e.__v)}}}while(_t.length)}k.__b=function(e){w=null,xt&&xt(e)},k.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),Ot&&Ot(e,t)},k.__r=function(e){Ct&&Ct(e),F=0;var t=(w=e.__c).__H;t&&(at==w?w.__h=[]:(t.__h.some(H),t.__h.some(ct),F=0),t.__h=[],t.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),at=w},k.diffed=function(e){Tt&&Tt(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&jt(Jt.push(t)),t.__H.__.some(function(n){n.u&&(n.__H=n.u)})),at=w=null},k.__c=function(e,t){t.some(function(n){try{n.__h.some(H),n.__h=n.__h.filter(function(r){return!r.__||ct(r)})}catch(r){n.__h=[function(){throw r}]}}),Nt&&Nt(e,t)},k.unmount=function(e){Pt&&Pt(e);var t,n,r=e.__c;r&&r.__H&&(r.__H.__.some(function(a){try{if(a.__P&&a.__c){if(n===void 0){for(n=e.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}a.__P=n,jt(_t.push(a))}else H(a)}catch(o){t=o}}),r.__H=void 0,t&&k.__e(t,r.__v))};var Rt=typeof requestAnimationFrame=="function";function qe(e){var t,n=function(){clearTimeout(r),Rt&&cancelAnimationFrame(t),setTimeout(e)},r=setTimeout(n,35);Rt&&(t=requestAnimationFrame(n))}function jt(e){e!=1&&St==k.requestAnimationFrame||((St=k.requestAnimationFrame)||qe)(Ee)}function H(e){var t=w,n=e.__c;typeof n=="function"&&(e.__c=void 0,n()),w=t}function ct(e){var t=w;e.__c=e.__(),w=t}function Bt(e,t){return!e||e.length!=t.length||t.some(function(n,r){return!ut(n,e[r])})}function Vt(e,t){return typeof t=="function"?t(e):t}var zt=function(e,t,n,r){var a;t[0]=0;for(var o=1;o<t.length;o++){var s=t[o++],i=t[o]?(t[0]|=s?1:2,n[t[o++]]):t[++o];s===3?r[0]=i:s===4?r[1]=Object.assign(r[1]||{},i):s===5?(r[1]=r[1]||{})[t[++o]]=i:s===6?r[1][t[++o]]+=i+"":s?(a=e.apply(i,zt(e,i,n,["",null])),r.push(a),i[0]?t[0]|=2:(t[o-2]=0,t[o]=a)):r.push(i)}return r},Et=new Map;function Ae(e){var t=Et.get(this);return t||(t=new Map,Et.set(this,t)),(t=zt(this,t.get(e)||(t.set(e,t=(function(n){for(var r,a,o=1,s="",i="",_=[0],c=function($){o===1&&($||(s=s.replace(/^\s*\n\s*|\s*\n\s*$/g,"")))?_.push(0,$,s):o===3&&($||s)?(_.push(3,$,s),o=2):o===2&&s==="..."&&$?_.push(4,$,0):o===2&&s&&!$?_.push(5,0,!0,s):o>=5&&((s||!$&&o===5)&&(_.push(o,0,s,a),o=6),$&&(_.push(o,$,0,a),o=6)),s=""},l=0;l<n.length;l++){l&&(o===1&&c(),c(l));for(var f=0;f<n[l].length;f++)r=n[l][f],o===1?r==="<"?(c(),_=[_],o=3):s+=r:o===4?s==="--"&&r===">"?(o=1,s=""):s=r+s[0]:i?r===i?i="":s+=r:r==='"'||r==="'"?i=r:r===">"?(c(),o=1):o&&(r==="="?(o=5,a=s,s=""):r==="/"&&(o<5||n[l][f+1]===">")?(c(),o===3&&(_=_[0]),o=_,(_=_[0]).push(2,0,o),o=0):r===" "||r==="	"||r===`
`||r==="\r"?(c(),o=2):s+=r),o===3&&s==="!--"&&(o=4,_=_[0])}return c(),_})(e)),t),arguments,[])).length>1?t:t[0]}var m=Ae.bind(Se);import{buildRequest as tt,computeChain as Qt,connect as Gt,factorOf as Kt,isScalarField as W,newStep as et,parseChain as Xt,sourcesFor as Yt}from"./chain_model.js";import{choiceText as Zt,fieldParts as nt,findConclusion as te,formatQuantity as ee,limitDigits as ne,pairsToRows as re,resolveUnit as oe,shortestDecimal as se,unitSeparator as ae,unitText as gt}from"./form.js";import{shellWord as D}from"./snippets.js";function ie(e,t,n,r){let{input:a}=tt(e,t,n,r),o=Object.fromEntries(Object.entries(a).filter(([i])=>!(i in t[r].from))),s=Object.entries(t[r].from).map(([i,_])=>{let c=n[_.step]?.envelope?.result,l=e[r].input.find(f=>f.name===i);return{name:i,step:_.step,source:_.name,isFromResult:c!==void 0&&_.name in c,factor:se(Kt(e,r,l,_))}});return{own:o,taken:s}}var le=({factor:e})=>e==="1"?"":` * ${e}`;function He(e,t){let n=JSON.stringify(t.source),[r,a]=t.isFromResult?["out",`.result[${n}]`]:["in",`.[${n}]`],o=`$(printf '%s' "$${r}${t.step+1}" | jq ${D(a)})`,s=D(`.[${JSON.stringify(t.name)}] = $v${le(t)}`);return`in${e}=$(printf '%s' "$in${e}" | jq -c --argjson v "${o}" ${s})`}function ue(e,t,n){let r=["#!/bin/sh","# Needs curl and jq.","set -eu",`base=${D(location.origin)}`,""];return t.forEach((a,o)=>{let{own:s,taken:i}=ie(e,t,n,o),_=o+1;r.push(`# ${_}. ${e[o].title}`,`in${_}=${D(JSON.stringify(s))}`,...i.map(c=>He(_,c)),`out${_}=$(printf '%s' "$in${_}" | curl -sS --fail-with-body -H 'Content-Type: application/json' --data-binary @- "$base/api/${a.tool}")`,`printf '%s\\n' "$out${_}" | jq .result`,"")}),r.join(`
`)}function Fe(e,t){let r=`${`${t.isFromResult?"out":"in"}${t.step+1}`}[${JSON.stringify(t.source)}]${le(t)}`;return`in${e}[${JSON.stringify(t.name)}] = ${r}`}function _e(e,t,n){let r=["import json","import urllib.request","",`BASE = ${JSON.stringify(location.origin)}`,"","","def compute(tool, body):","    request = urllib.request.Request(",'        f"{BASE}/api/{tool}", json.dumps(body).encode(), {"Content-Type": "application/json"}',"    )","    with urllib.request.urlopen(request) as response:",'        return json.load(response)["result"]',"",""];return t.forEach((a,o)=>{let{own:s,taken:i}=ie(e,t,n,o),_=o+1;r.push(`# ${_}. ${e[o].title}`,`in${_} = json.loads(${JSON.stringify(JSON.stringify(s))})`,...i.map(c=>Fe(_,c)),`out${_} = compute(${JSON.stringify(a.tool)}, in${_})`,`print(json.dumps(out${_}, indent=2))`,"")}),r.join(`
`)}var ce=e=>e.kind==="numbers"||e.kind==="words",Me=e=>e.kind==="quantity"||e.kind==="literal";function pe({f:e,id:t,step:n,offers:r,change:a,fieldError:o}){let s=n.from[e.name],i=!W(e)&&!ce(e),_=i&&!s,c=f=>a($=>(f===""?delete $.values[e.name]:$.values[e.name]=f,$)),l=s?`${t}-from`:t;return m`<div
    class=${`in${o?" bad":""}${_?" rows-in":""}`}
    role=${_?"group":void 0}
    aria-label=${_?e.label:void 0}
  >
    <label for=${_?void 0:l} title=${e.doc}
      >${e.label}${!e.required&&m` <span class="opt">optional</span>`}</label
    >
    ${!s&&m`<${Ue}
        f=${e}
        id=${t}
        step=${n}
        isNested=${i}
        change=${a}
        setText=${c}
        fieldError=${o}
      />`}
    ${r.length>0&&m`<${We} f=${e} id=${t} source=${s} offers=${r} change=${a} />`}
    ${o&&m`<p class="mistake" role="alert">${o}</p>`}
  </div>`}function Ue({f:e,id:t,step:n,isNested:r,change:a,setText:o,fieldError:s}){if(r)return m`<${Le} f=${e} id=${t} step=${n} change=${a} />`;let i=n.values[e.name]??"";if(e.options)return m`<${fe} f=${e} id=${t} text=${i} setText=${o} />`;let _=gt(e.unit);return m`<span class="entry"
    ><input
      id=${t}
      class=${Me(e)?"num":void 0}
      value=${i}
      placeholder=${e.default??""}
      autocomplete="off"
      spellcheck="false"
      onInput=${c=>o(c.target.value)}
      aria-invalid=${s?"true":void 0}
    />${_&&m`<span class="unit">${_}</span>`}</span
  >`}function fe({f:e,id:t,text:n,setText:r}){return m`<select
    id=${t}
    value=${n===e.default?"":n}
    onChange=${a=>r(a.target.value)}
  >
    ${e.options.map(a=>m`<option value=${a.value}>${a.text}</option>`)}
  </select>`}function We({f:e,id:t,source:n,offers:r,change:a}){let o=({step:i,name:_})=>`${i}.${_}`,s=i=>a(_=>{delete _.from[e.name];let c=r.find(l=>o(l)===i);return c&&(_.from[e.name]={step:c.step,name:c.name}),_});return m`<select
    id=${`${t}-from`}
    aria-label=${`${e.label} from`}
    value=${n?o(n):""}
    onChange=${i=>s(i.target.value)}
  >
    <option value="">typed here</option>
    ${r.map(i=>m`<option value=${o(i)}>from ${i.label}</option>`)}
  </select>`}var De=[{name:"name",label:"Name"},{name:"value",label:"Value"}];function Le({f:e,id:t,step:n,change:r}){let a=e.kind==="pairs",o=a?De:e.fields.filter(h=>W(h)||ce(h)),s=h=>a?re([e],h):h,i=s({...n.values}),_=`${e.name}.`,c=Object.keys(i).filter(h=>h.startsWith(_)).map(h=>Number(h.split(".")[1])),l=[...new Set(c)].sort((h,p)=>h-p),f=h=>r(p=>(p.values=s(p.values),h(p.values),p)),$=(h,p)=>f(v=>{v[h]=p}),u=()=>$(`${_}${(l.at(-1)??-1)+1}.${o[0].name}`,""),d=h=>f(p=>{for(let v of Object.keys(p))v.startsWith(`${_}${h}.`)&&delete p[v]});return m`<ol class="rows">
      ${l.map(h=>m`<li class="row" key=${h}>
            ${o.map(p=>{let v=`${_}${h}.${p.name}`;return m`<${Ie}
                key=${p.name}
                column=${p}
                id=${`${t}-${h}-${p.name}`}
                text=${i[v]??""}
                setText=${g=>$(v,g)}
              />`})}
            <button
              type="button"
              class="drop"
              aria-label=${`Remove row ${h+1} of ${e.label}`}
              onClick=${()=>d(h)}
            >
              ✕
            </button>
          </li>`)}
    </ol>
    <button type="button" class="small" onClick=${u}>Add a row</button>`}function Ie({column:e,id:t,text:n,setText:r}){let a=gt(e.unit);return m`<div class="field">
    <label for=${t} title=${e.doc}>${e.label}${a&&` [${a}]`}</label>
    ${e.options?m`<${fe} f=${e} id=${t} text=${n} setText=${r} />`:m`<input
            id=${t}
            value=${n}
            placeholder=${e.default??""}
            autocomplete="off"
            spellcheck="false"
            onInput=${o=>r(o.target.value)}
          />`}
  </div>`}var Je=8,Be=40,Ve=25;function $e({tool:e,result:t,run:n}){if(!t)return m`<p class="empty">…</p>`;if(t.waiting)return m`<p class="empty">${t.waiting}</p>
      ${t.isRunnable&&m`<button type="button" class="main" onClick=${n}>Run</button>`}`;if(t.error&&!t.fieldErrors?.length)return m`<p class="problem"><b>${t.error.message}</b> ${t.error.advice}</p>`;if(!t.envelope)return m`<p class="empty">Not computed.</p>`;let r=t.envelope.result,a=te(e,r),o=e.output.filter(s=>W(s)&&ze(r[s.name])&&!(s.name in t.input)).sort((s,i)=>me(e,i)-me(e,s)).slice(0,Je);return m`${a&&m`<p class=${`conclusion ${a.tone}`}>${a.text}</p>`}
  ${t.taken.map(s=>m`<p class="taken">takes ${s.field.label}${Qe(s)} from step ${s.source.step+1}</p>`)}
  ${r.warnings?.map(s=>m`<p class="warnings"><span>${s}</span></p>`)}
  ${o.map(s=>m`<${Ke} key=${s.name} f=${oe(s,r)} v=${r[s.name]} />`)}
  ${r.vectors&&m`<${Xe} tool=${e} result=${r} />`}`}var ze=e=>e!=null,me=(e,t)=>e.primary?.includes(t.name)?e.primary.length-e.primary.indexOf(t.name):0;function Qe({field:e,value:t}){if(typeof t=="number")return` = ${ee(t,e.unit??"")}`;let n=String(t);return n.length>Be||n.includes(`
`)?"":` = ${n}`}function Ge(e,t){if(typeof t=="number"){let n=nt(e,t);return{...n,number:ne(e,n.number)}}return e.kind==="choice"?nt(e,Zt(e,t)):nt(e,{true:"yes",false:"no"}[t]??String(t))}function Ke({f:e,v:t}){if(typeof t=="string"&&t.includes(`
`))return m`<div class="value text">
      <span class="name" title=${e.doc}>${e.label}</span>
      <pre tabindex="0" aria-label=${e.label}>${t}</pre>
    </div>`;let{number:n,unit:r}=Ge(e,t),a=typeof t=="string"&&t.length>=Ve;return m`<div class="value">
    <span class="name" title=${e.doc}>${e.label}</span
    ><span class=${`number${a?" wordy":""}`}
      >${n}${ae(r)}${r&&m`<span class="u">${r}</span>`}</span
    >
  </div>`}function Xe({tool:e,result:t}){let n=Z();return U(()=>{let r,a=!1;return import("./picture_vectors.js").then(o=>{a||(r=o.draw(n.current,{tool:e,result:t}))}),()=>{a=!0,r?.()}},[t]),m`<div ref=${n}></div>`}import{loadTool as L,pack as he,unpack as de}from"./share.js";import{announce as ve,copy as rt}from"./shell.js";var Ye=120,{tools:ot,examples:ge}=JSON.parse(document.getElementById("data").textContent);async function Ze(e){let t=await Promise.all(e.map(n=>L(n.tool)));return e.forEach((n,r)=>{n.isNew&&(delete n.isNew,Gt(t,e,r))}),t}function tn(e,t){let[n,r]=O([]),a=Z(new Set),[o,s]=O(0),i=_=>{a.current.add(_),s(o+1)};return U(()=>{if(!e.length||t.length!==e.length)return;let _=new AbortController,c=setTimeout(()=>{Qt(t,e,{signal:_.signal,mayRun:l=>a.current.has(l),onStep:r}).catch(()=>{}),he(JSON.stringify(e)).then(l=>history.replaceState(null,"",`/chain#c=${l}`))},Ye);return()=>{clearTimeout(c),_.abort()}},[e,t,o]),{results:n,setResults:r,run:i}}function en(){let[e,t]=O([]),[n,r]=O([]),[a,o]=O(""),{results:s,setResults:i,run:_}=tn(e,n),c=async u=>{try{r(await Ze(u)),t(u),i(d=>d.slice(0,u.length)),o("")}catch(d){o(`${d.message}. ${d.advice??""}`)}},l=(u,d)=>c(e.map((h,p)=>p===u?d({...h,values:{...h.values},from:{...h.from}}):h)),f=async u=>c([...e,{...et(await L(u)),isNew:!0}]),$=async u=>{i([]),await c(await sn(u))};return U(()=>{an().then(u=>u?c(u):$(ge[0]),()=>o("The link is damaged: it holds no chain that can be read. Ask for it again, or start from an example."))},[]),{steps:e,tools:n,problem:a,results:s,run:_,showSteps:c,change:l,add:f,openExample:$}}function nn(){let{steps:e,tools:t,problem:n,results:r,run:a,showSteps:o,change:s,add:i,openExample:_}=en();return m`<div>
    <p class="chips">
      <span class="lbl">Examples</span
      >${ge.map(c=>m`<button type="button" class="chip" onClick=${()=>_(c)}>${c.title}</button>`)}
    </p>
    ${n&&m`<p class="problem" role="alert">${n}</p>`}
    ${e.map((c,l)=>t[l]&&m`<${cn}
          key=${`${l}.${c.tool}`}
          i=${l}
          step=${c}
          tools=${t}
          result=${r[l]}
          last=${e.length-1}
          change=${f=>s(l,f)}
          move=${f=>o(ln(e,l,f))}
          remove=${()=>o(un(e,l))}
          run=${()=>a(tt(t,e,r,l).json)}
        />`)}
    <${pn} steps=${e} tools=${t} add=${i} />
    ${e.length>0&&m`<${on}
        steps=${e}
        tools=${t}
        results=${r}
        clear=${()=>{history.replaceState(null,"","/chain"),o([])}}
      />`}
  </div>`}async function rn(e,t,n){let{pinFrom:r}=await import("./notebook_store.js");r(e,()=>({tool:t[0].tool,title:n.map(a=>a.title).join(", "),request:{},steps:t}))}function on({steps:e,tools:t,results:n,clear:r}){let a=ue(t,e,n),o=(s,i)=>m`<button type="button" onClick=${i}>${s}</button>`;return m`<p class="picker">
      ${o("Copy link",s=>rt(location.href,s.currentTarget))}
      <button type="button" id="pin" onClick=${s=>rn(s.currentTarget,e,t)}>
        Pin
      </button>
      ${o("Copy as shell script",s=>rt(a,s.currentTarget))}
      ${o("Copy as Python",s=>rt(_e(t,e,n),s.currentTarget))}
      <button type="button" class="link" onClick=${r}>Clear</button>
    </p>
    <details class="code">
      <summary>Shell script</summary>
      <pre tabindex="0">${a}</pre>
    </details>`}async function sn(e){return(await Promise.all(e.tools.map(L))).map(n=>{let r=e.values?.[n.name],a=r&&Object.fromEntries(new URLSearchParams(r));return{...et(n,a),isNew:!0}})}async function an(){let{hash:e,searchParams:t}=new URL(location.href),{start:n,...r}=Object.fromEntries(t);if(n)return[et(await L(n),Object.keys(r).length?r:void 0)];if(e.startsWith("#c="))return Xt(JSON.parse(await de(e.slice(3))))}var ye=(e,t)=>e.map((n,r)=>{let a=Object.entries(n.from).map(([o,s])=>[o,{...s,step:t(s.step)}]).filter(([,o])=>o.step>=0&&o.step<r);return{...n,from:Object.fromEntries(a)}});function ln(e,t,n){let r=[...e];return[r[t],r[t+n]]=[r[t+n],r[t]],ve(`Step ${t+1} is now step ${t+n+1}`),ye(r,a=>a===t?t+n:a===t+n?t:a)}function un(e,t){let n=e.filter((r,a)=>a!==t);return ye(n,r=>r===t?-1:r>t?r-1:r)}function _n({i:e,step:t,tool:n,last:r,move:a,remove:o}){let s=(i,_,c,l)=>m`<button
      type="button"
      class="small"
      disabled=${l}
      aria-label=${_}
      onClick=${c}
    >
      ${i}
    </button>`;return m`<h2>
    <span class="count">${e+1}</span>
    <a href=${`/t/${n.name}?${new URLSearchParams(t.values)}`}>${n.title}</a>
    <span class="acts"
      >${s("↑",`Move step ${e+1} up`,()=>a(-1),e===0)}
      ${s("↓",`Move step ${e+1} down`,()=>a(1),e===r)}
      ${s("✕",`Remove step ${e+1}`,o,!1)}</span
    >
  </h2>`}function cn({i:e,step:t,tools:n,result:r,last:a,change:o,move:s,remove:i,run:_}){let c=n[e],[l,f]=O(!1),$=p=>p.name in t.from||Object.keys(t.values).some(v=>v.split(".")[0]===p.name),u=c.input.filter(p=>p.required||$(p)||l&&!p.alias),d=c.input.filter(p=>!p.alias&&!u.includes(p)).length,h=p=>(r?.fieldErrors??[]).filter(v=>v.path.split(".")[0]===p).map(v=>v.detail).join("; ");return m`<section class="step" aria-label=${`Step ${e+1}: ${c.title}`}>
    <${_n} i=${e} step=${t} tool=${c} last=${a} move=${s} remove=${i} />
    <div class="cols">
      <div>
        ${u.map(p=>m`<${pe}
              key=${p.name}
              f=${p}
              id=${`s${e}-${p.name}`}
              step=${t}
              offers=${Yt(n,e,p)}
              change=${o}
              fieldError=${h(p.name)}
            />`)}
        ${d>0&&m`<button type="button" class="link" onClick=${()=>f(!0)}>More options (${d})</button>`}
      </div>
      <div role="group" aria-label=${`Result of step ${e+1}`}>
        <${$e} tool=${c} result=${r} run=${_} />
      </div>
    </div>
  </section>`}function pn({steps:e,tools:t,add:n}){let a=[...new Set(t.flatMap(l=>(l.feeds??[]).map(f=>f.tool)))].filter(l=>!e.some(f=>f.tool===l)),[o,s]=O(""),i=o||a[0]||ot[0].name,_=[...new Set(ot.map(l=>l.category))],c=(l,f)=>m`<option value=${l}>${f}</option>`;return m`<form
    class="inline"
    onSubmit=${l=>{l.preventDefault(),s(""),n(i)}}
  >
    <label
      >${e.length?"Next step":"First step"}<select
        value=${i}
        onChange=${l=>s(l.target.value)}
      >
        ${a.length>0&&m`<optgroup label="Takes values from this chain">
            ${a.map(l=>c(l,ot.find(f=>f.name===l)?.title??l))}
          </optgroup>`}
        ${_.map(l=>m`<optgroup label=${l}>
              ${ot.filter(f=>f.category===l&&!a.includes(f.name)).map(f=>c(f.name,f.title))}
            </optgroup>`)}
      </select></label
    ><button>Add</button>
  </form>`}It(m`<${nn} />`,document.getElementById("chain"));
