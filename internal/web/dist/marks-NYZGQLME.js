import{a,b}from"./chunk-PXNEJ2WN.js";import"./chunk-54K3JNKB.js";import"./chunk-QV7TODAS.js";export{b as draw,a as markOf};
