import{a,b}from"./chunk-3J2HGID5.js";import"./chunk-F3SXXPX7.js";import"./chunk-AARL5FJE.js";export{b as draw,a as markOf};
