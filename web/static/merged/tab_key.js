function t(){try{return sessionStorage.getItem("key")??""}catch{return""}}function r(e){try{sessionStorage.setItem("key",e)}catch{}}export{r as saveTabKey,t as tabKey};
