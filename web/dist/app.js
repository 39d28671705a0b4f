import{l as a,m as b,n as c}from"./chunk-36LRUGRL.js";export{c as failure,a as go,b as runHash};
