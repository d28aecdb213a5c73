/** A way to hide something in a picture, and where such ways are collected. */
export interface Vector {
  readonly source: string
  readonly svg: string
}

const X = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
const inside = (content: string): string => `<svg ${X}>${content}</svg>`

const from = (source: string, ...svgs: readonly string[]): readonly Vector[] =>
  svgs.map((svg) => ({ source, svg }))

/** Hostile documents after the published collections that `source` names, and some of our own. */
export const VECTORS: readonly Vector[] = [
  ...from(
    'DOMPurify, test/fixtures/expect',
    inside('<script>alert(1)</script>'),
    inside('<script xlink:href="data:text/javascript,alert(1)"/>'),
    inside('<g onload="alert(1)"/>'),
    inside('<a xlink:href="javascript:alert(1)"><text>x</text></a>'),
    inside('<a href="  jav&#x09;ascript:alert(1)"><text>x</text></a>'),
    inside('<use xlink:href="data:image/svg+xml;base64,PHN2Zz48c2NyaXB0Lz48L3N2Zz4=#x"/>'),
    inside('<style>@import "http://evil.example/x.css";</style>'),
    inside('<style>&lt;img src=x onerror=alert(1)&gt;</style>'),
    inside('<style><![CDATA[</style><img src=x onerror=alert(1)>]]></style>'),
    inside('<desc><![CDATA[</desc><script>alert(1)</script>]]></desc>'),
    inside(
      '<title><style><img title="--&gt;&lt;/style&gt;&lt;img src=x onerror=alert(1)&gt;"/></style></title>',
    ),
    inside('<foreignObject><iframe src="javascript:alert(1)"/></foreignObject>'),
    inside('<animate attributeName="xlink:href" to="javascript:alert(1)"/>'),
    inside('<animate xlink:href="#x" attributeName="href" values="javascript:alert(1)"/>'),
    inside('<set attributeName="onmouseover" to="alert(1)"/>'),
    inside('<feImage xlink:href="data:image/svg+xml,%3Csvg onload=alert(1)%3E"/>'),
    inside('<image xlink:href="data:image/svg+xml;base64,AAAA"/>'),
    inside('<font-face-uri xlink:href="http://evil.example/f"/>'),
    inside('<math><mtext><script>alert(1)</script></mtext></math>'),
    inside('<p xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></p>'),
  ),
  ...from(
    'svg-sanitizer, tests/data',
    inside('<image href="http://evil.example/a.png"/>'),
    inside('<image xlink:href="//evil.example/a.png"/>'),
    inside('<use href="http://evil.example/a.svg#x"/>'),
    inside('<use xlink:href="file:///etc/passwd#x"/>'),
    inside('<rect fill="url(http://evil.example/a.svg#x)"/>'),
    inside('<rect fill="url(&quot;http://evil.example/a.svg#x&quot;)"/>'),
    inside('<rect style="fill:u&#114;l(http://evil.example/a)"/>'),
    inside('<rect filter="url( //evil.example/a )"/>'),
    inside('<a href="&#106;avascript:alert(1)"/>'),
    inside('<handler xmlns="http://www.w3.org/2001/xml-events" type="text/javascript">alert(1)</handler>'),
    inside('<script type="text/ecmascript"><![CDATA[alert(1)]]></script>'),
    `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY lol "lol"><!ENTITY lol1 "&lol;&lol;">]><svg ${X}>&lol1;</svg>`,
    `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY xxe SYSTEM "file:///etc/passwd">]><svg ${X}><text>&xxe;</text></svg>`,
    `<!DOCTYPE svg [<!ENTITY % p SYSTEM "http://evil.example/p.dtd"> %p;]><svg ${X}/>`,
    `<?xml-stylesheet href="http://evil.example/a.css" type="text/css"?><svg ${X}/>`,
    `<?xml-stylesheet type="text/xsl" href="data:text/xml,x"?><svg ${X}/>`,
  ),
  ...from(
    'OWASP, XSS filter evasion',
    `<svg ${X} onload="alert(1)"/>`,
    `<svg ${X} ONLOAD="alert(1)"/>`,
    `<svg ${X} onLoad&#10;="alert(1)"/>`,
    inside('<SCRIPT>alert(1)</SCRIPT>'),
    inside('<sCrIpT>alert(1)</sCrIpT>'),
    inside('<iframe src="http://evil.example"/>'),
    inside('<object data="http://evil.example"/>'),
    inside('<embed src="http://evil.example"/>'),
    inside('<rect style="background:url(javascript:alert(1))"/>'),
    inside('<rect style="width:expression(alert(1))"/>'),
    inside('<rect style="-moz-binding:url(http://evil.example/x.xml#y)"/>'),
    inside('<rect style="fill:\\75 rl(http://evil.example)"/>'),
    inside('<style>@\\69mport "http://evil.example";</style>'),
    inside('<style>a{background:url("http://evil.example")}</style>'),
    inside('<style>@IMPORT url(http://evil.example);</style>'),
    inside('<style>@font-face{font-family:x;src:url(http://evil.example/f)}</style>'),
    inside('<style>/*</style><style>*/ a{fill:url(http://evil.example)}</style>'),
    inside('<style>a{fill:url(/**/http://evil.example)}</style>'),
    inside('<style>a{background:image-set("http://evil.example/a.png" 1x)}</style>'),
    inside('<style>a{background:-webkit-image-set(url(http://evil.example) 1x)}</style>'),
    inside('<style>@namespace svg url(http://evil.example);</style>'),
    inside('<style>a{content:"\n";background:url(http://evil.example)}</style>'),
  ),
  ...from(
    'PortSwigger, XSS cheat sheet',
    inside('<animate onbegin="alert(1)" attributeName="x" dur="1s"/>'),
    inside('<animatetransform onbegin="alert(1)"/>'),
    inside('<set attributeName="href" to="javascript:alert(1)" begin="0s"/>'),
    inside('<animate attributeName=" href " values="javascript:alert(1)"/>'),
    inside(
      '<animate xmlns:x="http://www.w3.org/1999/xlink" attributeName="x:href" to="javascript:alert(1)"/>',
    ),
    inside('<animateMotion onend="alert(1)" path="M0 0"/>'),
    inside('<discard onbegin="alert(1)"/>'),
    inside('<image href="1" onerror="alert(1)"/>'),
    inside('<a><animate attributeName="href" from="javascript:alert(1)"/><text>x</text></a>'),
    inside('<style onload="alert(1)"/>'),
    inside('<title onmouseover="alert(1)">x</title>'),
    inside('<animate attributeName="fill" values="url(http://evil.example/a)"/>'),
  ),
  ...from(
    'namespaces and bases',
    `<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script>alert(1)</s:script></s:svg>`,
    `<svg ${X} xml:base="http://evil.example/"><use href="#x"/></svg>`,
    `<svg ${X} xmlns:h="http://www.w3.org/1999/xhtml"><h:script>alert(1)</h:script></svg>`,
    `<svg ${X} xmlns:y="http://www.w3.org/1999/xlink" y:href="javascript:alert(1)"/>`,
    `<svg ${X} xmlns:e="http://www.w3.org/2001/xml-events"><e:listener event="load" handler="#h"/></svg>`,
    `<svg><script xmlns="">alert(1)</script></svg>`,
    `<svg xmlns="http://www.w3.org/1999/xhtml" onload="alert(1)"/>`,
    inside('<g s:onload="alert(1)" xmlns:s="http://www.w3.org/2000/svg"/>'),
  ),
]
