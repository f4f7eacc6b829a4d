function t(){try{return sessionStorage.getItem("key")??""}catch{return""}}function a(e){try{sessionStorage.setItem("key",e)}catch{}}export{t as loadTabKey,a as saveTabKey};
