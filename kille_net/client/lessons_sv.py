"""Swedish: how the game is explained (see `lessons` for where each text stands)."""

from collections.abc import Mapping
from typing import Final

__all__ = ["LESSONS", "NUMBERS"]

NUMBERS: Final = ("inga", "ett", "två", "tre", "fyra", "fem", "sex", "sju", "åtta")
"""As they stand before what is counted."""

LESSONS: Final[Mapping[str, str]] = {
    # --- the page ---
    "title": "Reglerna för Kille, {format}:",
    "start": "{fewest} till {most} spelar. Leken har {cards} kort: {kinds} sorter, {copies} av varje. Var och en får "
    "ett och håller det hemligt.",
    "aim_pots": "Alla har ett kort och {lives} liv. Lägsta kortet i en giv kostar ett liv; den som sist har liv kvar "
    "vinner partiet, en poäng, och alla har {lives} liv igen.",
    "aim_sticks": "Alla har ett kort och {lives} liv. Den som har lägsta kortet i en giv åker ut; den som sist är kvar "
    "vinner partiet, en pinne.",
    "order": "Lågt till högt: {cards}. Harlekin är lika hög som {top}, eller låg: under {bottom}.",
    "range": "{first} till {last}",
    "turn": "Den till vänster om den som ger börjar, och den som ger är sist. I din tur står du, eller byter kort med "
    "nästa till vänster, som inte får säga nej; men {count} kort kan:",
    "row": "{name}: {text}",
    "refuses.skip": "bytet går förbi till nästa plats.",
    "refuses.undo": "inget byte. Kortet som bjöds går tillbaka dit det gavs, och den platsen är uthuggen; alla på "
    "vägen får tillbaka det kort som de fick i given.",
    "refuses.strike": "inget byte, och den som frågade är uthuggen, vilket kostar ett liv i visningen.",
    "refuses.stop": "inget byte, och bytandet är slut. Att fråga kostar inget.",
    "call": "Den som har en {card} får också ropa den när som helst, i tur eller inte (kuku), och då blir det visning.",
    "refused": "Ett kort som har vägrat ligger öppet, och dess plats har ingen tur längre.",
    "passes_on": "Efter ett byte går turen till den som du bytte med.",
    "harlequin_high": "hög om den gavs eller drogs, låg om den byttes till dig. Den går öppet över bordet, och "
    "två som möts i ett byte är båda höga.",
    "harlequin_low": "hög om den drogs, låg om den gavs eller byttes till dig. Den går öppet över bordet, och "
    "två som möts i ett byte är båda höga.",
    "talon": "Den som ger har ingen att fråga och byter med talongen i stället (går i lek), och så gör ett byte som "
    "går förbi den som ger; sedan är bytandet slut.",
    "talon_drawn": "Den som drar får kortet, om det inte är en matador, som alla får se:",
    "talon.skip": "den läggs åt sidan, och nästa kort dras.",
    "talon.undo": "den biter som vid bordet; kortet som man gick i lek med går tillbaka dit det gavs, och den platsen "
    "är uthuggen.",
    "talon.strike": "den som drog är uthuggen och behåller sitt gamla kort.",
    "talon.stop": "inget byte; den som drog behåller sitt gamla kort och är inte uthuggen.",
    "turn_up": "Sedan vänder alla upp.",
    "losers": "De uthuggna och låga Harlekiner förlorar ett liv, och av de andra det lägsta "
    "kortet, lika kort tillsammans; Kuku och hög Harlekin gör det aldrig.",
    "everybody": "Vore det alla, går lägsta kortet fritt; och är ingen uthuggen, förlorar ingen.",
    "two": "Med två kvar är det något annorlunda.",
    "harlequin_whole": "En Harlekin som ges visas, hela leken blandas och det ges om.",
    "harlequin_talon": "Ges en Harlekin, går båda korten till slänghögen, och båda får nya ur talongen.",
    "kuku_shows": "Ges en Kuku men ingen Harlekin, vänds Kukun upp av sig själv, och det blir visning.",
    "kuku_waits": "En Kuku som ges vänds inte upp av sig själv; den som har den får ropa den.",
    "tie_again": "Lika kort på slutet, om ingen är uthuggen, ges om ur en nyblandad lek.",
    "ask": "Med {seats} kvar får den som är först i tur, innan den byter eller står, be den som ger om nya kort (nya).",
    "or": "{left} eller {right}",
    "dealer_answers": "Den som ger svarar ja eller nej.",
    "middle_answers": "Av två svarar den som ger ja eller nej; av tre svarar den som ger nej, eller att det beror på, "
    "och då svarar mellanhanden ja eller nej.",
    "yes_whole": "Ja: hela leken blandas och samma plats ger om, högst {asks} gånger i en giv.",
    "yes_talon": "Ja: båda korten går till slänghögen och båda får nya ur talongen, så ofta som de är överens.",
    "no_more": "Nej: bytandet börjar, och det blir ingen ny fråga i given.",
    "number_pots": "Antal partier: {pots}.",
    "number_sticks": "Antal partier: {pots}.",
    "numbers_pots": "En match är ett bestämt antal partier.",
    "numbers_sticks": "En match är ett bestämt antal partier, och slutspel.",
    "most_points": "Flest poäng vinner; lika avgörs av ett parti till mellan de lika.",
    "final": "Sedan spelar alla med pinnar slutspel, med lika många liv som pinnar; den som sist har liv kvar vinner "
    "matchen.",
    "few_left": "Med {seats} kvar är något annorlunda, och det går att be om nya kort: {command} nya, {command} duell.",
    "keys": "Vid bordet: {stand} står, {swap} byter, {kuku} ropar Kuku, {ask} frågar efter nya kort, {accept} och "
    "{refuse} svarar; hjälp säger resten.",
    "more": "Mer: {command} ÄMNE, som är ett av {topics}; eller ett kort, eller ett ord.",
    # --- cards ---
    "cards_title": "De {kinds} sorterna, {copies} kort av varje, lågt till högt:",
    "plain": "gör inget själv; den som frågar får det.",
    "plain_talon": "Den som drar det ur talongen får det, och ingen annan ser det före visningen.",
    "named": "{name}",
    "also": "Kallas också {names}.",
    "rank": "Nummer {n} av {all} nerifrån: över {below}, under {above}.",
    "rank_lowest": "Lägst av alla: under {above}, som är nummer 2 av {all}.",
    "rank_highest": "Högst av alla, nummer {n} av {all}: över {below}.",
    "rank_none": "Har inget nummer i ordningen: är lika hög som {top}, eller lägre än alla.",
    "harlequin_cost": "En hög förlorar aldrig som lägsta kort, och du får frågan innan du byter bort den; en låg "
    "kostar ett liv.",
    "tie": "Två av samma sort är lika, och förlorar tillsammans.",
    "asked_for": "Den som frågar hör {cry}: {text}",
    "cried": "{name}: {cry} – {text}",
    "drawn": "Ur talongen: {text}",
    "drawn_in": "Ur talongen, i {format}: {text}",
    "two_in": "Med två kvar, i {format}: {text}",
    "never_lowest": "Förlorar aldrig som lägsta kort.",
    "matador": "Är en matador. Du får byta bort den som vilket kort som helst; först får du frågan om du menar det.",
    "figure.mask": "Visar det groteska narrhuvudet.",
    "figure.lily": "Ett kort med små franska liljor.",
    "figure.rider": "Visar en ryttare på sin häst.",
    "matadors_title": "De {count} matadorerna, lågt till högt, och vad de säger till den som frågar:",
    "matadors_away": "En matador får bytas bort som vilket kort som helst; först får du frågan om du menar det.",
    # --- other topics ---
    "talon_title": "Talongen: korten som inte gavs.",
    "talon_old": "Det gamla kortet går dolt underst i talongen, ur spel; bara den som drog ser det nya före visningen. "
    "En Harlekin som dras är hög.",
    "talon_short": "Räcker talongen inte i en duell, blandas den ihop med slänghögen.",
    "lives_title": "Vem som förlorar ett liv:",
    "lives_one": "Ingen förlorar mer än ett liv i en giv.",
    "lives_struck": "Den som är uthuggen behåller kort och plats till visningen, vänder upp med de andra, och får "
    "fortfarande ropa en Kuku.",
    "lives_low": "Är alla uthuggna eller låga Harlekiner, går de låga Harlekinerna fria.",
    "lives_zero": "Den som inte har liv kvar hoppas över av allt och tittar på, till nästa parti.",
    "formats_title": "De två sätten att spela:",
    "format_title": "Så spelas {format}:",
    "lengths_title": "Antal partier i en match, efter längden och antalet platser:",
    "lengths_seats": "platser",
    "lengths_default": "Ett rum har längden {room} från början, en match mot datorerna {play}. Varje annat antal går "
    "att välja.",
    "deal_on": "Efter varje giv är det nästa med liv till vänster som ger.",
    "ties_out": "Den som är uthuggen och de som delar lägsta kortet åker ut tillsammans.",
    "no_stakes": "Det finns inga insatser: inget betalas, köps in eller säljs.",
    "better_title": "Nya kort:",
    "in_format": "I {format}:",
    "duel_title": "När två är kvar:",
    "words_title": "Ord vid bordet, på svenska och engelska:",
    "cries_title": "Vad som ropas:",
    "figures_title": "Korten:",
    "pair": "{swedish} – {english}",
    "pair_meaning": "{swedish} – {english}: {meaning}",
    "cry_when": "{cry}: {when}",
    "word.dealer": "den som delar ut korten, och är sist i tur.",
    "word.first": "den som sitter till vänster om den som ger. Kallas förhand hos somliga, efterhand hos andra.",
    "word.middle": "den mellan den som börjar och den som ger, när tre är kvar.",
    "word.pack": "de {cards} korten.",
    "word.talon": "korten som inte gavs.",
    "word.draw": "ge sitt kort till talongen och dra ett nytt, som den som ger får göra.",
    "word.discard": "dit korten går som slängs i en duell.",
    "word.swap": "kräva nästa spelares kort och ge sitt eget för det.",
    "word.stand": "behålla sitt kort.",
    "word.struck": "den som förlorar ett liv i visningen, för en Husars eller en Husus skull.",
    "word.out": "förlora sitt sista liv.",
    "word.stop": "ögonblicket då ingen längre får byta.",
    "word.showdown": "när alla vänder upp.",
    "word.duel": "en giv mellan de två sista.",
    "word.hand": "en omgång, från det att korten delas ut till visningen.",
    "word.pot": "givar tills bara en har liv kvar; heter så i båda sätten att spela.",
    "word.stick": "märket för ett vunnet parti, och ett liv i slutspelet.",
    "word.final": "sista delen av sticks, där pinnarna är liv.",
    "word.life": "det som en förlorad giv kostar.",
    "word.matador": "ett av de {count} kort som vägrar byta.",
    "word.better": "nya kort till alla som är kvar, om de andra går med på det.",
    "word.redeal": "samma giv delas ut igen.",
    "word.point": "det som ett parti är värt.",
    "cry.kuku": "den som har Kuku, tillfrågad eller när som helst.",
    "cry.husar": "Husaren, till den som frågar.",
    "cry.husu": "Husun, till den som frågar.",
    "cry.kavall": "Kavallen, till den som frågar.",
    "cry.vardshus": "Värdshuset, till den som frågar.",
    "cry.show": "när bytandet är slut och alla vänder upp.",
    "cry.content": "den som står.",
    "cry.ask": "den som frågar efter nya kort.",
    "cry.yes": "den som går med på nya kort.",
    "cry.no": "den som inte gör det.",
    "cry.depends": "den som ger, av tre, och låter mellanhanden svara.",
    # --- the example ---
    "example_title": "En giv med en Kavall och en Kuku:",
    "example_intro": "Här sägs alla kort. Vid bordet känner du ditt eget, vad du gav och fick, och vad som ligger "
    "öppet.",
    "example_turn": "{who} har {card} och är i tur:",
    "example_why": "{name}: {text}",
    "example_passed": "{who} blev förbigången och har ingen tur.",
}
