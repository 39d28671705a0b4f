import{l as a,m as b,n as c}from"./chunk-Z2U6RGDW.js";export{c as failure,a as go,b as runHash};
