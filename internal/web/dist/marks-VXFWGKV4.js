import{a,b}from"./chunk-PJLD3EQO.js";import"./chunk-6BGX63JS.js";import"./chunk-L5A65N5Y.js";export{b as draw,a as markOf};
