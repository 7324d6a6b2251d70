/** In lower case. Passwords shorter than the lowest possible minimum length are left out. */
export const commonPasswords: ReadonlySet<string> = new Set(
  `
!qaz2wsx 00000000 000000000 0000000000 00001111 01010101 01234567 012345678 0123456789 10101010
101010101 10203040 1020304050 102030405060 11110000 11111111 111111111 1111111111 11112222
11223344 1122334455 112233445566 112358132 12121212 12312312 123123123 123321123 12341234
12344321 1234512345 123454321 1234554321 12345678 123456780 123456789 1234567890 12345678910
123456789a 123456789q 12345678a 12345678q 1234abcd 1234qwer 13131313 13579246 1357924680
14725836 147258369 1472583690 147852369 159357123 15975300 159753456 19841984 19871987 19901990
1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1q2w3e4r5t6y7u 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 20002000 20202020
20202021 20242024 20252025 20262026 22222222 24681012 246813579 27182818 31415926 314159265
3141592653 321654987 33333333 369258147 42042042 44444444 456789123 55555555 66666666 69696969
696969696 741852963 7418529630 77777777 77777777777 789456123 789456123a 80085800 87654321
88888888 888888888 963258741 963852741 987456321 987654321 9876543210 99999999 999999999
a1234567 a12345678 a123456789 a1b2c3d4 a1b2c3d4e5 aa123456 aa12345678 aaaa1111 aaaaaaaa
aaaaaaaaaa abc12345 abc123456 abc123456789 abc123abc abcd1234 abcd12345 abcdabcd abcdefg1
abcdefg123 abcdefgh abcdefghi abcdefghij access123 access14 accessdenied admin123 admin1234
admin12345 admin123456 admin@123 adminadmin administrator administrator1 alejandra alejandro
alexander alexander1 alexandra amanda123 america1 america123 andrew123 angel123 angels123
anthony1 arsenal1 arsenal123 asd12345 asd123asd asdasdasd asdf1234 asdfasdf asdfghjk asdfghjkl
asdfghjkl1 asdfghjkl123 asdfqwer ashley123 assassin asshole1 australia autumn123 autumn2024
autumn2025 autumn2026 azertyui azertyuiop babygirl babygirl1 babygirl12 babygirl123 badboy123
banana123 barcelona barcelona1 baseball baseball1 baseball12 baseball123 basketball basketball1
batman123 batman1234 bbbbbbbb beautiful beautiful1 benjamin benjamin1 bienvenue bigdaddy
bigdaddy1 bismillah blessed1 blessing blessing1 blink182 blueberry brittany brittany1 brooklyn
brooklyn1 budweiser bullshit bullshit1 butterfly butterfly1 california cameron1 caroline
caroline1 carpediem catherine changeit changeme changeme1 changeme123 changethis charlie1
charlie123 cheese123 chelsea1 chelsea123 chevrolet cheyenne chicago1 chocolate chocolate1
chocolate123 christina christine christopher computer computer1 computer12 computer123
contrasena contraseña cookie123 corvette corvette1 courtney courtney1 cowboys1 cristiano
daniel123 danielle danielle1 darthvader december december1 default1 default123 demo1234 demodemo
deutschland deutschland1 diamond1 diamond123 dolphin1 dolphins dolphins1 dominic1 donaldduck
dragon12 dragon123 dragon1234 dragonball dragonball1 einstein einstein1 elephant elephant1
elizabeth elizabeth1 eminem123 england1 facebook facebook1 facebook123 family123 february
fernando fernando1 ferrari1 flower123 flowers1 football football1 football12 football123
forever1 forever21 fortnite fortnite1 francisco freedom1 freedom123 friday123 friends1
friends123 friendship fuckoff1 fuckyou1 fuckyou12 fuckyou123 fuckyou2 gabriel1 galileo1 gangster
gangster1 garfield garfield1 germany1 godisgood google123 gorgeous greenday guest123 guest1234
hannah123 haslo123 heaven123 heineken hello123 hello1234 hello12345 hello@123 hellohello
hellokitty hellokitty1 helloworld hockey123 hunter12 hunter123 hunter2hunter2 hurricane ilovegod
ilovehim ilovejesus iloveme1 iloveme123 ilovemom iloveu123 iloveyou iloveyou! iloveyou1
iloveyou12 iloveyou123 iloveyou2 infinity infinity1 inshallah internet internet1 internet123
ironman123 isabella isabella1 january1 jasmine1 jasmine123 jennifer jennifer1 jeremiah jeremiah1
jessica1 jessica123 jesus123 jesus1234 jesuschrist jonathan jonathan1 jordan123 jordan23
joshua123 justin123 juventus juventus1 katherine kennwort kennwort1 killer12 killer123 kimberly
kimberly1 lakers24 letmein! letmein1 letmein12 letmein123 letmeinnow lightning linkedin
linkedin1 liverpool liverpool1 liverpool123 lkjhgfdsa london123 lorenzo1 lovelove lovely123
loveme123 loveyou1 manchester manutd123 maradona margaret marlboro marlboro1 master12 master123
masterkey matthew1 matthew123 maverick maverick1 melissa1 mercedes mercedes1 messi123 metallica
metallica1 michael1 michael12 michael123 michelle michelle1 mickey123 mickeymouse microsoft
microsoft1 midnight midnight1 minecraft minecraft1 minecraft123 mnbvcxz1 monday123 monkey12
monkey123 monkey1234 motdepasse motherfucker mountain mountain1 mustang1 mustang123 mypassword
mypassword1 myspace1 naruto123 newpass123 newpassword newyork1 newyork123 nicholas nicholas1
nicole123 nintendo nintendo1 nirvana1 nirvana123 november october1 p@55w0rd p@ssw0rd p@ssw0rd1
p@ssword p@ssword1 pa$$w0rd pa$$word packers1 parola123 pass1234 passion1 passpass passpass1
passport passport1 passw0rd passw0rd! passw0rd1 password password! password01 password02
password1 password1! password10 password11 password12 password123 password1234 password12345
password13 password2 password2020 password2021 password2022 password2023 password2024
password2025 password2026 password21 password22 password23 password3 password69 password7
password9 password99 passwordpassword passwords passwort passwort1 passwort123 patricia patriots
patriots1 phoenix1 phoenix123 pineapple playboy1 playboy123 playstation playstation1 poiuytrewq
pokemon1 pokemon123 porsche911 portugal portugal1 princess princess1 princess12 princess123
q123456789 q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 qazwsx123 qazwsxedc qazwsxedcrfv qwaszx12 qwe123qwe
qweasd123 qweasdzxc qweqwe123 qweqweqwe qwer1234 qwer12345 qwert123 qwert1234 qwert12345
qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwerty123456789 qwertyui qwertyuio
qwertyuiop qwertyuiop123 qwertzui qwertzuiop rainbow1 rainbow123 ranger123 realmadrid rebecca1
redskins robert123 rockstar rockstar1 rockyou1 ronaldo123 ronaldo7 root1234 rootroot samantha
samantha1 samsung1 samsung123 savannah scoobydoo scorpion scorpion1 sebastian secret12 secret123
secret1234 secretsecret security security1 security123 senha123 september sexylady shadow12
shadow123 shadow1234 shakespeare skywalker slipknot slipknot1 snickers snickers1 snoopy123
soccer12 soccer123 softball softball1 spiderman spiderman1 spiderman123 spongebob spongebob1
spring123 spring2024 spring2025 spring2026 startrek starwars starwars1 starwars123 steelers
steelers1 stephanie stephanie1 stitch123 strawberry summer12 summer123 summer2020 summer2021
summer2022 summer2023 summer2024 summer2025 summer2026 sunshine sunshine1 sunshine12 sunshine123
superman superman1 superman12 superman123 superstar superstar1 sweetheart sweetie1 sweety123
temp1234 temporary temppass temppassword test1234 test12345 test123456 tester123 testing1
testing123 testpass testpass1 testpass123 testtest testtest1 thomas123 thunder1 thunder123
tiger123 tigger123 tinkerbell toor1234 topsecret topsecret1 tornado1 trustno1 trustnoone
twitter1 user1234 username username1 usuario123 vanessa1 veronica victoria victoria1 volleyball
wachtwoord wachtwoord1 warcraft warcraft1 welcome! welcome01 welcome1 welcome1! welcome12
welcome123 welcome1234 welcome2 welkom01 welkom123 whatever whatever1 whatever123 willkommen
winter12 winter123 winter2020 winter2021 winter2022 winter2023 winter2024 winter2025 winter2026
wolverine xbox3600 xxxxxxxx yamaha123 yankees1 yankees2 youtube1 youtube123 zacharia zachary1
zaq12wsx zaq1xsw2 zaq1zaq1 zxasqw12 zxcv1234 zxcvbnm, zxcvbnm0 zxcvbnm1 zxcvbnm123 zxcvbnmm
zxcvzxcv zzzzzzzz
`
    .trim()
    .split(/\s+/),
)
