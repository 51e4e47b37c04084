/**
 * An example of a record: `stories` after "Tom opened the box and", seed 42, drawn at temperature 1, with the 8 most
 * probable tokens of 2,048. A row has the drawn token's place in its list, or the token itself, then the list.
 */
const ROWS = `2~ saw|-0.7788~ found|-2.1741~ looked|-2.489~ said|-3.1026~ he|-3.7489~ was|-3.9736~ opened|-4.2028~ inside|-4.3506
2~ inside|-0.7979~ at|-1.8~ around|-1.921~ out|-2.2075~ for|-3.5834~ outside|-3.8707~ in|-4.1455~ all|-4.2718
2~.|-0.6419~ for|-1.6294~ to|-2.0565~ the|-3.0298~ at|-3.7904~,|-4.6086~ in|-4.6848~ around|-4.7706
1~ find|-0.5621~ see|-1.6668~ the|-2.6513~ a|-3.9911~ have|-4.2232~ store|-4.3386~ look|-4.7916~ dis|-4.8804
7~ what|-0.2761~ where|-3.3045~ how|-3.5288~ everything|-3.8577~ a|-3.9308~ if|-4.0676~ many|-4.2396~ the|-4.3471
4~ most|-2.5521~ st|-3.0276~ box|-3.377~ mail|-3.5923~ sun|-3.7473~ best|-4.0218~ things|-4.0302~ big|-4.0892
 there|-6.0228~.|-1.0239~r|-2.3264~ was|-2.3334~ shining|-2.4933~ sh|-2.5631~sh|-3.0308~ and|-3.0858~ in|-3.4101
0~.|-0.111~ were|-3.2516~,|-3.4662~ was|-4.4363~!|-5.4172~ it|-5.6416~ and|-6.5004~ with|-6.6832
0~ He|-0.4498~ It|-1.7747~ The|-2.8514~ Suddenly|-3.9951~ "|-4.2661~ There|-4.3584~ In|-4.6001~ Tom|-4.6513
 said|-4.46~ saw|-0.65~ was|-2.3032~ found|-3.3584~ could|-3.3985~ looked|-3.6842~ smiled|-3.7847~ felt|-3.8456~ noticed|-3.9861
2~,|-1.0619~ "|-1.8177~ to|-1.8846~ he|-2.3344~ it|-2.6311~:|-3.7389~ goodbye|-3.789~ a|-4.0636
0~ himself|-0.4871~ his|-1.5713~ the|-2.4353~ it|-3.4664~ Tom|-4.5272~ herself|-5.4121~e|-5.5538~ him|-5.7424
0~,|-0.3071~ "|-1.7822~:|-3.6631~ in|-3.9285~ |-4~ to|-4.9055~ if|-6.2442~ and|-6.6857
0~ "|-0.0094~ |-4.8266~⏎|-7.6207~ but|-9.0111~ as|-9.8448~ and|-10.3953~ he|-10.4867~:|-10.5502
1~I|-1.1778~Let|-2.413~This|-2.4559~It|-2.4761~What|-2.8445~Wow|-3.1117~Look|-3.3921~Hello|-3.4375
0~'|-0.2247~ me|-1.6777~ go|-4.8647~ out|-6.4712~ us|-7.2044~ take|-8.1362~ was|-8.4513~ you|-8.4832
0~s|-0.0006~ to|-9.385~t|-9.8045~ll|-10.4741~<s>|-10.4884~ take|-10.8873~ go|-10.904~ in|-10.9565
5~ go|-0.9125~ open|-2.4417~ play|-2.9441~ do|-3.2273~ make|-3.4314~ explore|-3.832~ have|-3.9092~ un|-3.9453
3~ the|-0.4335~!"|-1.7025~ this|-3.2252~ it|-3.6812~."|-3.9994~".|-4.4783~!|-4.5369~ and|-4.9147
0~!"|-0.2236~!|-2.8611~ and|-3.0358~."|-3.4223~.|-3.8264~".|-4.5441~'|-5.2769~,|-5.5623
2~⏎|-1.3446~ Tom|-1.3705~ He|-1.8986~ Suddenly|-3.027~ So|-3.0656~ But|-3.3653~ It|-3.6442~ To|-3.8619
 pushed|-3.9271~ opened|-2.0987~ was|-2.5029~ found|-2.8712~ put|-2.9465~ carefully|-3.2306~ stepped|-3.283~ grabbed|-3.3136~ saw|-3.3295
0~ the|-0.739~ and|-1.564~ his|-2.0916~ a|-2.8165~ down|-3.8254~ himself|-3.9976~ open|-4.8366~ it|-5.0781
0~ box|-0.4918~ sh|-3.101~ button|-3.1249~ l|-3.7303~ heavy|-4.1852~ la|-4.2128~ big|-4.7103~ sk|-4.7701
0~ and|-1.0829~,|-2.4932~ down|-2.5938~ around|-3.0992~ ac|-3.1265~ into|-3.1894~ as|-3.3746~ until|-3.4045
 lo|-4.8232~ it|-0.6731~ the|-2.2581~ opened|-3.5385~ inside|-3.8028~ his|-3.902~ saw|-3.9643~ found|-4.2395~ looked|-4.3186
0~cked|-0.4618~ad|-1.2832~ll|-4.0856~ck|-4.4352~ver|-4.5241~pped|-4.5478~ged|-4.6099~ered|-4.7478
1~ the|-0.6557~ it|-0.7762~ a|-5.4581~.|-6.1043~ his|-6.351~ up|-6.4057~ into|-6.71~ all|-6.8057
0~.|-0.7583~ up|-2.291~ tight|-2.5353~ with|-2.6484~ to|-3.0546~,|-3.9634~ very|-4.0606~ and|-4.1683
1~ He|-1.6026~⏎|-1.8277~ Inside|-1.9926~ The|-2.1858~ It|-2.1892~ Suddenly|-2.5292~ Tom|-3.1582~ Then|-3.6933
0~Tom|-0.3591~In|-3.2186~But|-3.4505~The|-3.5275~Suddenly|-3.7052~He|-3.7439~One|-4.132~Just|-4.3691
0~ was|-0.8962~ and|-3.1546~ said|-3.2669~ saw|-3.411~ opened|-3.4772~ asked|-3.8058~'|-3.8251~ followed|-3.9047
0~ very|-1.3621~ excited|-2.0449~ curious|-2.2586~ so|-2.3196~ scared|-2.6391~ a|-2.8461~ sad|-3.1874~ surprised|-3.6649
1~ curious|-0.9868~ excited|-1.2396~ al|-3.108~ brave|-3.3659~ surprised|-3.4754~ |-3.485~ happy|-3.5591~ con|-4.1198
4~.|-0.2739~ and|-2.1907~ to|-3.2997~!|-3.5569~,|-3.9553~ when|-4.3574~ as|-4.6329~ about|-5.3618
0~ but|-0.4533~ he|-2.2304~ and|-2.3409~ so|-2.4047~ because|-3.0209~ "|-5.4873~ as|-5.6349~ when|-5.6821`;

/** Number of tokens of the example's vocabulary. */
export const EXAMPLE_SIZE = 2048;

/** @param {string} entry */
function tokenOf(entry) {
  const at = entry.lastIndexOf('|');
  return { token: entry.slice(0, at).replace('⏎', '\n'), logprob: Number(entry.slice(at + 1)) };
}

/** Returns the example as llama.cpp's server would write it. */
export function exampleRecord() {
  const completion_probabilities = ROWS.split('\n').map((row) => {
    const [drawn, ...listed] = row.split('~');
    const top_logprobs = listed.map(tokenOf);
    return { ...(top_logprobs[Number(drawn)] ?? tokenOf(drawn)), top_logprobs };
  });
  const content = completion_probabilities.map(({ token }) => token).join('');
  return JSON.stringify({ content, completion_probabilities });
}
