cslc --arch=wse3 layout.csl --fabric-dims=11,5 --fabric-offsets=4,1 --params=width:4,height:3,M:6,N:8 -o out --memcpy --channels=1
cs_python run.py --name out
